-- The model that a run's own messages name. Of older runs it is not known.
ALTER TABLE runs ADD COLUMN model TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_model ON runs (model, ended_at) WHERE model <> '';
