-- Portable on purpose: ids are made by the application, nothing counts up by
-- itself, times are UTC nanoseconds (0: none), JSON is text, booleans are
-- BOOLEAN. What agents and ward print is BLOB (bytea in Postgres, which
-- refuses NUL in text) or a file in runs/.

-- The row that every commit writes: small, so that a commit stays small.
CREATE TABLE quests (
    id                TEXT PRIMARY KEY,
    version           BIGINT NOT NULL,
    is_over           BOOLEAN NOT NULL,
    seq               BIGINT NOT NULL,
    title             TEXT NOT NULL,
    repo              TEXT NOT NULL,
    ward              TEXT NOT NULL,
    workspace         TEXT NOT NULL,
    branch            TEXT NOT NULL,
    agent             TEXT NOT NULL,
    slots             INTEGER NOT NULL,
    budget_usd        DOUBLE PRECISION NOT NULL,
    limits            TEXT,
    backoff_first     BIGINT NOT NULL,
    backoff_max       BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    ended_at          BIGINT NOT NULL,
    phase             TEXT NOT NULL,
    paused            BOOLEAN NOT NULL,
    abandoned         BOOLEAN NOT NULL,
    wait              TEXT,
    gate_requirements TEXT NOT NULL,
    gate_plan         TEXT NOT NULL,
    budget_warned     BOOLEAN NOT NULL,
    locked            BOOLEAN NOT NULL,
    first_plan        INTEGER NOT NULL,
    green_tree        TEXT NOT NULL,
    merging           TEXT,
    baseline          TEXT NOT NULL,
    baseline_run      TEXT NOT NULL,
    delivered         TEXT,
    cost_usd          DOUBLE PRECISION NOT NULL,
    granted_at        BIGINT NOT NULL
);

-- What is long and seldom changes.
CREATE TABLE documents (
    quest_id     TEXT PRIMARY KEY REFERENCES quests (id) ON DELETE CASCADE,
    request      TEXT NOT NULL,
    requirements TEXT,
    known_faults TEXT
);

-- ord: the place in the plan; -3, -2, -1 are the lines requirements, plan and
-- review of the whole quest.
CREATE TABLE steps (
    quest_id    TEXT NOT NULL REFERENCES quests (id) ON DELETE CASCADE,
    ord         INTEGER NOT NULL,
    id          TEXT NOT NULL,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    files       TEXT,
    depends_on  TEXT,
    observables TEXT,
    minutes     DOUBLE PRECISION NOT NULL,
    stage       TEXT NOT NULL,
    hold        TEXT NOT NULL,
    block       TEXT,
    run_id      TEXT NOT NULL,
    started     BOOLEAN NOT NULL,
    holds_files BOOLEAN NOT NULL,
    verdict     BOOLEAN NOT NULL,
    green_tree  TEXT NOT NULL,
    changed     TEXT,
    comments    TEXT NOT NULL,
    counts      TEXT,
    visits      TEXT,
    replaces    TEXT NOT NULL,
    replaced_by TEXT,
    added_by    TEXT NOT NULL,
    started_at  BIGINT NOT NULL,
    ended_at    BIGINT NOT NULL,
    reason      TEXT NOT NULL,
    findings    TEXT,
    PRIMARY KEY (quest_id, ord)
);

-- An id names its quest and place (<quest>-r<n>), so it needs no index of its
-- own. epoch, host_id, boot_id, lease_until, token_hash and cancel_requested are
-- what several hosts need; with one host the lease stays 0.
CREATE TABLE runs (
    id                 TEXT NOT NULL,
    quest_id           TEXT NOT NULL REFERENCES quests (id) ON DELETE CASCADE,
    ord                INTEGER NOT NULL,
    epoch              BIGINT NOT NULL,
    state              TEXT NOT NULL,
    outcome            TEXT NOT NULL,
    host_id            TEXT NOT NULL,
    boot_id            TEXT NOT NULL,
    lease_until        BIGINT NOT NULL DEFAULT 0,
    token_hash         TEXT NOT NULL,
    cancel_requested   BOOLEAN NOT NULL,
    session_id         TEXT NOT NULL,
    opened             BOOLEAN NOT NULL,
    role               TEXT NOT NULL,
    line               TEXT NOT NULL,
    start_kind         TEXT NOT NULL,
    resumed_from       TEXT NOT NULL,
    return_to          TEXT NOT NULL,
    alone              BOOLEAN NOT NULL,
    brief              TEXT,
    visit              INTEGER NOT NULL,
    slot               INTEGER NOT NULL,
    pid                INTEGER NOT NULL,
    queued_at          BIGINT NOT NULL,
    not_before         BIGINT NOT NULL,
    started_at         BIGINT NOT NULL,
    ended_at           BIGINT NOT NULL,
    signal             TEXT,
    draft              TEXT,
    waiting            BOOLEAN NOT NULL,
    stopping           TEXT NOT NULL,
    late               BOOLEAN NOT NULL,
    beside             BOOLEAN NOT NULL,
    exit_code          INTEGER NOT NULL,
    why                TEXT NOT NULL,
    cost_usd           DOUBLE PRECISION NOT NULL,
    session_cost       DOUBLE PRECISION NOT NULL,
    tokens_input       BIGINT NOT NULL,
    tokens_output      BIGINT NOT NULL,
    tokens_cache_read  BIGINT NOT NULL,
    tokens_cache_write BIGINT NOT NULL,
    denied             TEXT,
    digest             BLOB,
    PRIMARY KEY (quest_id, ord)
);

CREATE TABLE questions (
    id          TEXT NOT NULL,
    quest_id    TEXT NOT NULL REFERENCES quests (id) ON DELETE CASCADE,
    ord         INTEGER NOT NULL,
    run_id      TEXT NOT NULL,
    line        TEXT NOT NULL,
    role        TEXT NOT NULL,
    text        TEXT NOT NULL,
    context     TEXT NOT NULL,
    asked_at    BIGINT NOT NULL,
    answer      TEXT NOT NULL,
    answered_by TEXT NOT NULL,
    answered_at BIGINT NOT NULL,
    closed      TEXT NOT NULL,
    PRIMARY KEY (quest_id, ord)
);

-- Without a row id (SQLite alone has one) an entry is written to one tree
-- instead of two, and a quest's entries lie side by side.
CREATE TABLE events (
    quest_id TEXT NOT NULL REFERENCES quests (id) ON DELETE CASCADE,
    seq      BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    actor    TEXT NOT NULL,
    type     TEXT NOT NULL,
    line     TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    data     TEXT,
    PRIMARY KEY (quest_id, seq)
) WITHOUT ROWID;

-- The server's own state: holds of accounts, and single values as JSON.
CREATE TABLE holds (
    agent    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    until_at BIGINT NOT NULL,
    reason   TEXT NOT NULL,
    probe    BOOLEAN NOT NULL,
    PRIMARY KEY (agent, kind)
);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
