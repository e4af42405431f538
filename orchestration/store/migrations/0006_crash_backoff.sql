-- The waits before a crashed run is tried again, in nanoseconds, as JSON. NULL: the
-- default.
ALTER TABLE quests ADD COLUMN crash_backoff TEXT;
