-- Which new steps get a slot first: high or low. Empty: normal.
ALTER TABLE quests ADD COLUMN priority TEXT NOT NULL DEFAULT '';
ALTER TABLE steps ADD COLUMN priority TEXT NOT NULL DEFAULT '';
