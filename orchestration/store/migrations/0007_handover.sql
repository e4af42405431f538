-- The fingerprint of the tree in which a step's first run began. Empty: unknown, or an
-- older version started the step.
ALTER TABLE steps ADD COLUMN start_tree TEXT NOT NULL DEFAULT '';

-- What the user wrote beside Retry, as JSON. NULL: nothing.
ALTER TABLE steps ADD COLUMN instructions TEXT;
