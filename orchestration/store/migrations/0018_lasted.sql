-- How long the server saw the process of an agent live, in nanoseconds. Of older runs only their
-- beginning and their end are known.
ALTER TABLE runs ADD COLUMN lasted INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET lasted = ended_at - started_at
WHERE role <> 'ward' AND pid <> 0 AND started_at <> 0 AND ended_at > started_at;
