-- What stops the run that asks: a wall of the environment. Empty: it asks for a decision.
ALTER TABLE questions ADD COLUMN wall TEXT NOT NULL DEFAULT '';
