-- The observables that the plan leaves out, with the reasons, as JSON. NULL: none.
ALTER TABLE documents ADD COLUMN uncovered TEXT;
