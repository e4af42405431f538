-- Whose verdict proved the observables of the step, and at which commit, as JSON. NULL:
-- nobody's, or the verdict is from before evidence was asked.
ALTER TABLE steps ADD COLUMN proof TEXT;
