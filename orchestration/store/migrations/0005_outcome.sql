-- What a quest that is over came to, as JSON, for the list of those. NULL: it goes
-- on, or an older version ended it.
ALTER TABLE quests ADD COLUMN outcome TEXT;
