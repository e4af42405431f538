-- What the user wanted to have different after the requirements were locked, as JSON.
-- NULL: nothing.
ALTER TABLE documents ADD COLUMN changes TEXT;

-- The quest that this one follows: its id, and what was asked and done there, as JSON.
ALTER TABLE quests ADD COLUMN follows TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN former TEXT;
