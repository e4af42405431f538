-- Who did what from where. Entries stay when their quest is deleted, and go
-- when they are old or too many.
CREATE TABLE audit (
    id       BIGINT PRIMARY KEY,
    at       BIGINT NOT NULL,
    actor    TEXT NOT NULL,
    via      TEXT NOT NULL,
    action   TEXT NOT NULL,
    quest_id TEXT NOT NULL,
    target   TEXT NOT NULL,
    status   INTEGER NOT NULL,
    remote   TEXT NOT NULL,
    agent    TEXT NOT NULL
);

CREATE INDEX audit_of_quest ON audit (quest_id, id);
CREATE INDEX audit_by_action ON audit (action, id);
