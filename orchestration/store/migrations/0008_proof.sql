-- How many rounds a quest's review has had, and the run whose look has ended. An older
-- version counted no rounds.
ALTER TABLE steps ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN looked TEXT NOT NULL DEFAULT '';

-- Where a step's branch stood before a run, and the commit of the run's work. Empty:
-- unknown, or the run changed nothing.
ALTER TABLE runs ADD COLUMN from_commit TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN commit_id TEXT NOT NULL DEFAULT '';
-- The comments that a step was made of. Empty: it is a step of the plan.
ALTER TABLE steps ADD COLUMN made_of TEXT NOT NULL DEFAULT '';

-- Whose verdict proved the observables of the step, and at which commit, as JSON. NULL:
-- nobody's, or the verdict is from before evidence was asked.
ALTER TABLE steps ADD COLUMN proof TEXT;

-- What the user wanted to have different after the requirements were locked, as JSON.
-- NULL: nothing.
ALTER TABLE documents ADD COLUMN changes TEXT;

-- The quest that this one follows: its id, and what was asked and done there, as JSON.
ALTER TABLE quests ADD COLUMN follows TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN former TEXT;
