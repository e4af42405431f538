-- The comments that a step was made of. Empty: it is a step of the plan.
ALTER TABLE steps ADD COLUMN made_of TEXT NOT NULL DEFAULT '';
