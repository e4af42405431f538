-- The fingerprint of the tree in which a step's first run began. Empty: unknown, or an
-- older version started the step.
ALTER TABLE steps ADD COLUMN start_tree TEXT NOT NULL DEFAULT '';

-- What the user wrote beside Retry, as JSON. NULL: nothing.
ALTER TABLE steps ADD COLUMN instructions TEXT;

-- Whether the skip of a step can be undone no more, because an agent of the review has
-- started since. The times of an older version's quests say it.
ALTER TABLE steps ADD COLUMN skip_final BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE steps SET skip_final = TRUE WHERE stage = 'skipped' AND EXISTS (
    SELECT 1 FROM runs WHERE runs.quest_id = steps.quest_id AND runs.line = 'review' AND runs.role <> 'ward' AND runs.started_at > steps.ended_at
);

-- Who marked the step done. Empty: nobody did, or an agent has worked on it since.
ALTER TABLE steps ADD COLUMN by_hand TEXT NOT NULL DEFAULT '';

-- The observables that the plan leaves out, with the reasons, as JSON. NULL: none.
ALTER TABLE documents ADD COLUMN uncovered TEXT;
