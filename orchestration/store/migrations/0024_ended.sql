-- Lists of quests that are over show the newest, and a board asks for those that follow its quest.
-- SQLite has no statistics here, so an index has to name all that a query asks for.
CREATE INDEX quests_by_end ON quests (is_over, ended_at DESC, id);
CREATE INDEX quests_by_follows ON quests (follows, is_over, ended_at DESC, id);
