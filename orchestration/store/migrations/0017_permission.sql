-- Before which calls of its agents a quest asks, and for how long, as JSON.
ALTER TABLE quests ADD COLUMN asks TEXT NOT NULL DEFAULT '{}';

-- The calls that a question asks permission for, as JSON, and what the person wrote beside the
-- decisions. NULL: the agent asked with a text.
ALTER TABLE questions ADD COLUMN calls TEXT;
ALTER TABLE questions ADD COLUMN reason TEXT NOT NULL DEFAULT '';
