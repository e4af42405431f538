-- The programs that a quest uses for single roles, as JSON (NULL: none), and the program of each run. Until now all
-- runs of a quest had the quest's.
ALTER TABLE quests ADD COLUMN programs TEXT;
ALTER TABLE runs ADD COLUMN agent TEXT NOT NULL DEFAULT '';
UPDATE runs SET agent = (SELECT agent FROM quests WHERE quests.id = runs.quest_id)
WHERE role <> 'ward' AND state <> 'queued';
