-- The files that the user gave with the request: name, type, size and SHA-256, as JSON. NULL:
-- none. Their content is in the data directory.
ALTER TABLE documents ADD COLUMN attachments TEXT;
