-- Which runs go on from the conversation of another role. Empty: the defaults.
ALTER TABLE quests ADD COLUMN forks TEXT NOT NULL DEFAULT '{}';

-- The run whose conversation this one began with. Empty: it began an empty one.
ALTER TABLE runs ADD COLUMN forked_from TEXT NOT NULL DEFAULT '';

-- How many tokens the conversation had at the end. 0: unknown.
ALTER TABLE runs ADD COLUMN context INTEGER NOT NULL DEFAULT 0;
