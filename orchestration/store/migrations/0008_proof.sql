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
