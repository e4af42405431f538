-- What people are to be told and no channel has got yet, in the order in which it happened.
-- A deleted quest's are told too.
CREATE TABLE notices (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    notice TEXT NOT NULL
);

-- What each channel sends: one notice or more, as JSON. Times are in nanoseconds; 0: none.
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

CREATE INDEX messages_of_channel ON messages (channel, state, seq);
