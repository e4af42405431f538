-- The host on which the quest works, how many times it went to another one, and the labels
-- that a host must have, as JSON. NULL: the server's own machine.
ALTER TABLE quests ADD COLUMN workplace TEXT;
