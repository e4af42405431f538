-- What the repository's own file said when the quest started, as JSON. NULL: none
-- counts.
ALTER TABLE documents ADD COLUMN repo_file TEXT;
