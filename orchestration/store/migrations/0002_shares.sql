-- Links by which teammates watch a quest. Of a token its hash alone is kept.
CREATE TABLE shares (
    id         TEXT PRIMARY KEY,
    quest_id   TEXT NOT NULL REFERENCES quests (id) ON DELETE CASCADE,
    token_hash TEXT NOT NULL UNIQUE,
    output     BOOLEAN NOT NULL,
    cost       BOOLEAN NOT NULL,
    answer     BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    viewed_at  BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL
);

CREATE INDEX shares_of_quest ON shares (quest_id);
