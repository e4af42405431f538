-- What stops the run that asks: a wall of the environment. Empty: it asks for a decision.
ALTER TABLE questions ADD COLUMN wall TEXT NOT NULL DEFAULT '';

-- Whether the user gave the quest no title, so that an agent may. 0: its title stays.
ALTER TABLE quests ADD COLUMN untitled INTEGER NOT NULL DEFAULT 0;

-- What the repository's own file said when the quest started, as JSON. NULL: none
-- counts.
ALTER TABLE documents ADD COLUMN repo_file TEXT;
