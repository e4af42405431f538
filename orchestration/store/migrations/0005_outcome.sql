-- What a quest that is over came to, as JSON, for the list of those. NULL: it goes
-- on, or an older version ended it.
ALTER TABLE quests ADD COLUMN outcome TEXT;

-- What the check's last pass of a step was worth. Empty: none, or an older version
-- passed it.
ALTER TABLE steps ADD COLUMN checked TEXT NOT NULL DEFAULT '';
