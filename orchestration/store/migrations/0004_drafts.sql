-- Quests that have not begun: what was typed, as JSON. A deleted one stays for a
-- day, so that it can be brought back.
CREATE TABLE drafts (
    id         TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    typed      TEXT NOT NULL
);
