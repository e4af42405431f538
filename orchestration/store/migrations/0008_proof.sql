-- The comments that a step was made of. Empty: it is a step of the plan.
ALTER TABLE steps ADD COLUMN made_of TEXT NOT NULL DEFAULT '';

-- Whose verdict proved the observables of the step, and at which commit, as JSON. NULL:
-- nobody's, or the verdict is from before evidence was asked.
ALTER TABLE steps ADD COLUMN proof TEXT;
