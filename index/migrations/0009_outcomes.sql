-- What tools did. Why: a failure that was overcome is a fix that somebody will need again, so each run of a tool is
-- kept for a while, and what failed is counted for good. Secrets are taken out before a row is written. Costs nothing
-- for those who keep no outcomes: a row costs one page of the table, a failure three more.
-- Never edited once released; a test holds its hash.

-- A session: how many rows were written (the number of the last one), how many of them are still there, and how many
-- are in a batch of the analysis. Its scope is that of its first row; `first_at` is the time of the oldest row that is
-- still there.
CREATE TABLE outcome_session (
    session  TEXT PRIMARY KEY,
    scope    TEXT NOT NULL,
    rows     INTEGER NOT NULL CHECK (rows >= 0),
    kept     INTEGER NOT NULL CHECK (kept >= 0 AND kept <= rows),
    analysed INTEGER NOT NULL CHECK (analysed >= 0 AND analysed <= rows),
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A run of a tool. Old rows go; `sequence` is never given twice.
CREATE TABLE tool_outcome (
    session           TEXT NOT NULL,
    sequence          INTEGER NOT NULL CHECK (sequence > 0),
    at                INTEGER NOT NULL,
    tool              TEXT NOT NULL,
    head              TEXT NOT NULL,
    input             TEXT NOT NULL,
    input_fingerprint TEXT NOT NULL,
    is_ok             INTEGER NOT NULL CHECK (is_ok IN (0, 1)),
    exit_code         INTEGER,
    error             TEXT NOT NULL,
    error_fingerprint TEXT,
    duration_ms       INTEGER,
    scope             TEXT NOT NULL,
    PRIMARY KEY (session, sequence)
) STRICT, WITHOUT ROWID;
-- For failures alone: most rows are none, and cost nothing here.
CREATE INDEX tool_outcome_failed ON tool_outcome (scope, at) WHERE is_ok = 0;
CREATE INDEX tool_outcome_error ON tool_outcome (error_fingerprint, session, sequence)
    WHERE error_fingerprint IS NOT NULL;

-- Failures of one kind. `example` is the error as it was met last, and `example_session` where.
CREATE TABLE error_log (
    id                INTEGER PRIMARY KEY,
    scope             TEXT NOT NULL,
    tool              TEXT NOT NULL,
    head              TEXT NOT NULL,
    error_fingerprint TEXT NOT NULL,
    example           TEXT NOT NULL,
    example_session   TEXT NOT NULL,
    count             INTEGER NOT NULL CHECK (count > 0),
    first_at          INTEGER NOT NULL,
    last_at           INTEGER NOT NULL,
    UNIQUE (scope, tool, head, error_fingerprint)
) STRICT;

-- How often each session met it: what is taken out of `error_log` when the session is forgotten.
CREATE TABLE error_session (
    error    INTEGER NOT NULL REFERENCES error_log (id) ON DELETE CASCADE,
    session  TEXT NOT NULL,
    count    INTEGER NOT NULL CHECK (count > 0),
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (error, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX error_session_session ON error_session (session);

-- Which rows were given to whom to be analysed. A row of a session is in one batch at most.
CREATE TABLE outcome_batch (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    claimed_at INTEGER NOT NULL,
    session    TEXT NOT NULL,
    from_row   INTEGER NOT NULL,
    to_row     INTEGER NOT NULL CHECK (to_row >= from_row),
    worker     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('claimed', 'done', 'failed')),
    UNIQUE (session, from_row)
) STRICT;

-- What the analysis found, as JSON, and the columns that reads ask for. `memory` is the one that was made of it.
CREATE TABLE outcome_pattern (
    id         TEXT PRIMARY KEY,
    scope      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    state      TEXT NOT NULL,
    confidence REAL NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    last_at    INTEGER NOT NULL,
    memory     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX outcome_pattern_scope ON outcome_pattern (scope, last_at DESC, id);
