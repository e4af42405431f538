-- A database of schema 25, as it was: never changed.
PRAGMA application_id = 1363309156;
PRAGMA user_version = 25;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
, outcome TEXT, crash_backoff TEXT, follows TEXT NOT NULL DEFAULT '', untitled INTEGER NOT NULL DEFAULT 0, priority TEXT NOT NULL DEFAULT '', size TEXT NOT NULL DEFAULT 'full', sized_by TEXT NOT NULL DEFAULT '', size_reason TEXT NOT NULL DEFAULT '', siege TEXT NOT NULL DEFAULT '', forks TEXT NOT NULL DEFAULT '{}', budget_tokens INTEGER NOT NULL DEFAULT 0, budget_time INTEGER NOT NULL DEFAULT 0, asks TEXT NOT NULL DEFAULT '{}', allowances TEXT, programs TEXT, workplace TEXT);
INSERT INTO quests VALUES('quest',2,0,6,'a title','/repo','make test','','','simulated',0,0.0,'{"crash":0,"stuck":0,"nudge":0,"infrastructure":0,"partial":0,"ward":0,"depth":0,"followups":0,"runs":0}',0,0,1800000000000000000,0,'steps',0,0,NULL,'','',0,0,0,'',NULL,'','',NULL,0.0,0,NULL,NULL,'',0,'','full','','','','{}',0,0,'{}',NULL,NULL,'{}');
CREATE TABLE documents (
    quest_id     TEXT PRIMARY KEY REFERENCES quests (id) ON DELETE CASCADE,
    request      TEXT NOT NULL,
    requirements TEXT,
    known_faults TEXT
, uncovered TEXT, changes TEXT, former TEXT, repo_file TEXT, attachments TEXT);
INSERT INTO documents VALUES('quest','build it',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
    findings    TEXT, checked TEXT NOT NULL DEFAULT '', start_tree TEXT NOT NULL DEFAULT '', instructions TEXT, skip_final BOOLEAN NOT NULL DEFAULT FALSE, by_hand TEXT NOT NULL DEFAULT '', rounds INTEGER NOT NULL DEFAULT 0, looked TEXT NOT NULL DEFAULT '', made_of TEXT NOT NULL DEFAULT '', proof TEXT, priority TEXT NOT NULL DEFAULT '', risk TEXT NOT NULL DEFAULT '', risk_reason TEXT NOT NULL DEFAULT '', besieged TEXT NOT NULL DEFAULT '', siege_proof TEXT,
    PRIMARY KEY (quest_id, ord)
);
INSERT INTO steps VALUES('quest',-3,'requirements','','',NULL,NULL,NULL,0.0,'done','',NULL,'',0,0,0,'',NULL,'','{}',NULL,'',NULL,'',0,0,'',NULL,'','',NULL,0,'',0,'','',NULL,'','','','',NULL);
INSERT INTO steps VALUES('quest',-2,'plan','','',NULL,NULL,NULL,0.0,'done','',NULL,'',0,0,0,'',NULL,'','{}',NULL,'',NULL,'',0,0,'',NULL,'','',NULL,0,'',0,'','',NULL,'','','','',NULL);
INSERT INTO steps VALUES('quest',-1,'review','','',NULL,NULL,NULL,0.0,'done','',NULL,'',0,0,0,'',NULL,'','{}',NULL,'',NULL,'',0,0,'',NULL,'','',NULL,0,'',0,'','',NULL,'','','','',NULL);
INSERT INTO steps VALUES('quest',-4,'baseline','','',NULL,NULL,NULL,0.0,'waiting','',NULL,'',0,0,0,'',NULL,'','{}',NULL,'',NULL,'',0,0,'',NULL,'','',NULL,0,'',0,'','',NULL,'','','','',NULL);
INSERT INTO steps VALUES('quest',0,'step-0','do it','in some words','["a.go","b.go"]',NULL,NULL,0.0,'codeweaver','',NULL,'',0,0,0,'',NULL,'','{}','{"codeweaver":1}','',NULL,'',0,0,'',NULL,'','',NULL,0,'',0,'','',NULL,'','','','',NULL);
INSERT INTO steps VALUES('quest',1,'step-1','do it','in some words','["a.go","b.go"]',NULL,NULL,0.0,'codeweaver','',NULL,'',0,0,0,'',NULL,'','{}','{"codeweaver":1}','',NULL,'',0,0,'',NULL,'','',NULL,0,'',0,'','',NULL,'','','','',NULL);
INSERT INTO steps VALUES('quest',2,'step-2','do it','in some words','["a.go","b.go"]',NULL,NULL,0.0,'ward','',NULL,'quest-r7',0,0,0,'',NULL,'','{}','{"codeweaver":1}','',NULL,'',0,0,'',NULL,'','',NULL,0,'',0,'','',NULL,'','','','',NULL);
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
    digest             BLOB, from_commit TEXT NOT NULL DEFAULT '', commit_id TEXT NOT NULL DEFAULT '', forked_from TEXT NOT NULL DEFAULT '', context INTEGER NOT NULL DEFAULT 0, cap TEXT NOT NULL DEFAULT '{}', lasted INTEGER NOT NULL DEFAULT 0, model TEXT NOT NULL DEFAULT '', denied_calls TEXT, ask TEXT, allow TEXT, agent TEXT NOT NULL DEFAULT '', start_with TEXT NOT NULL DEFAULT '', in_place_of TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (quest_id, ord)
);
INSERT INTO runs VALUES('quest-r1','quest',0,0,'ended','','','',0,'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',0,'3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10',0,'codeweaver','step-0','fresh','','',0,'{}',0,0,0,1800000000000000000,0,1800000000000000000,0,NULL,NULL,0,'',0,0,0,'',0.0,0.0,0,0,0,0,NULL,X'','','','',0,'{}',0,'',NULL,NULL,NULL,'simulated','','');
INSERT INTO runs VALUES('quest-r2','quest',1,0,'ended','','','',0,'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',0,'3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10',0,'codeweaver','step-0','fresh','','',0,'{}',0,0,0,1800000000000000000,0,1800000000000000000,0,NULL,NULL,0,'',0,0,0,'',0.0,0.0,0,0,0,0,NULL,X'','','','',0,'{}',0,'',NULL,NULL,NULL,'simulated','','');
INSERT INTO runs VALUES('quest-r3','quest',2,0,'ended','','','',0,'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',0,'3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10',0,'codeweaver','step-1','fresh','','',0,'{}',0,0,0,1800000000000000000,0,1800000000000000000,0,NULL,NULL,0,'',0,0,0,'',0.0,0.0,0,0,0,0,NULL,X'','','','',0,'{}',0,'',NULL,NULL,NULL,'simulated','','');
INSERT INTO runs VALUES('quest-r4','quest',3,0,'ended','','','',0,'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',0,'3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10',0,'codeweaver','step-1','fresh','','',0,'{}',0,0,0,1800000000000000000,0,1800000000000000000,0,NULL,NULL,0,'',0,0,0,'',0.0,0.0,0,0,0,0,NULL,X'','','','',0,'{}',0,'',NULL,NULL,NULL,'simulated','','');
INSERT INTO runs VALUES('quest-r5','quest',4,1,'signalled','','','',0,'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',0,'3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10',0,'codeweaver','step-2','fresh','','',0,'{}',0,0,0,1800000000000000000,0,1800000000000000000,0,'{"signal":"complete","stepId":"step-2","summary":"all of it is done, and the tests are green"}',NULL,0,'',0,0,0,'',0.0,0.0,0,0,0,0,NULL,X'','','','',0,'{}',0,'',NULL,NULL,NULL,'simulated','','');
INSERT INTO runs VALUES('quest-r6','quest',5,0,'ended','','','',0,'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',0,'3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10',0,'codeweaver','step-2','fresh','','',0,'{}',0,0,0,1800000000000000000,0,1800000000000000000,0,NULL,NULL,0,'',0,0,0,'',0.0,0.0,0,0,0,0,NULL,X'','','','',0,'{}',0,'',NULL,NULL,NULL,'simulated','','');
INSERT INTO runs VALUES('quest-r7','quest',6,0,'ended','','','',0,'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',0,'3f0c5a0e-8d2f-4d53-9a4f-8c1f6f6f2a10',0,'codeweaver','step-2','fresh','','',0,'{}',0,0,0,1800000000000000000,0,1800000000000000000,0,NULL,NULL,0,'',0,0,0,'',0.0,0.0,0,0,0,0,NULL,X'','','','',0,'{}',0,'',NULL,NULL,NULL,'simulated','','');
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
    closed      TEXT NOT NULL, wall TEXT NOT NULL DEFAULT '', calls TEXT, reason TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (quest_id, ord)
);
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
INSERT INTO events VALUES('quest',4,1800000000000000000,'codeweaver','signal.accepted','step-2','quest-r5','{"stage":"ward"}');
INSERT INTO events VALUES('quest',5,1800000000000000000,'codeweaver','step.stage','step-2','quest-r5','{"stage":"ward"}');
INSERT INTO events VALUES('quest',6,1800000000000000000,'codeweaver','run.queued','step-2','quest-r5','{"stage":"ward"}');
CREATE TABLE holds (
    agent    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    until_at BIGINT NOT NULL,
    reason   TEXT NOT NULL,
    probe    BOOLEAN NOT NULL, since_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (agent, kind)
);
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
INSERT INTO settings VALUES('version','""');
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
CREATE TABLE drafts (
    id         TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    deleted_at BIGINT NOT NULL,
    typed      TEXT NOT NULL
);
CREATE TABLE notices (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    notice TEXT NOT NULL
);
CREATE TABLE messages (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT NOT NULL UNIQUE,
    channel   TEXT NOT NULL,
    notices   TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    closed    BOOLEAN NOT NULL,
    tries     INTEGER NOT NULL,
    first_at  BIGINT NOT NULL,
    next_at   BIGINT NOT NULL,
    state     TEXT NOT NULL,
    ended_at  BIGINT NOT NULL,
    fault     TEXT NOT NULL
);
DELETE FROM sqlite_sequence;
CREATE INDEX shares_of_quest ON shares (quest_id);
CREATE INDEX audit_of_quest ON audit (quest_id, id);
CREATE INDEX audit_by_action ON audit (action, id);
CREATE INDEX messages_of_channel ON messages (channel, state, seq);
CREATE INDEX runs_model ON runs (model, ended_at) WHERE model <> '';
CREATE INDEX quests_by_end ON quests (is_over, ended_at DESC, id);
CREATE INDEX quests_by_follows ON quests (follows, is_over, ended_at DESC, id);
COMMIT;
