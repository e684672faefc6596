-- What is learnt about tools. Why: which tools and sets of tools are worth a suggestion follows from what became of
-- earlier ones, and like tasks need like tools. Tasks are kept without secrets, and only those of sessions that say who
-- they are. Costs nothing for those who name no session and keep no outcomes.
-- Never edited once released; a test holds its hash.

-- A task for which tools were asked for. `after_row` is the number of the session's last run by then; `used` the keys of
-- the tools that the session called for it, as JSON, once it is done. It is silent if the session reported nothing.
CREATE TABLE tool_task (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    scope       TEXT NOT NULL,
    session     TEXT NOT NULL,
    after_row   INTEGER NOT NULL CHECK (after_row >= 0),
    at          INTEGER NOT NULL,
    task        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    used        TEXT NOT NULL CHECK (json_valid(used)),
    state       TEXT NOT NULL CHECK (state IN ('open', 'done', 'silent'))
) STRICT;
CREATE INDEX tool_task_session ON tool_task (session, scope, number);
CREATE INDEX tool_task_scope ON tool_task (scope, state, number);

-- What was shown for it: a tool by its key, a capability by the keys of its tools, as JSON. It was suggested if its
-- score reached the threshold.
CREATE TABLE tool_suggestion (
    task         INTEGER NOT NULL REFERENCES tool_task (number) ON DELETE CASCADE,
    kind         TEXT NOT NULL CHECK (kind IN ('tool', 'capability')),
    name         TEXT NOT NULL,
    place        INTEGER NOT NULL CHECK (place >= 0),
    score        REAL NOT NULL,
    is_suggested INTEGER NOT NULL CHECK (is_suggested IN (0, 1)),
    is_accepted  INTEGER CHECK (is_accepted IN (0, 1)),
    PRIMARY KEY (task, kind, name)
) STRICT, WITHOUT ROWID;

-- From which score on something of a kind is suggested, and what the next steps rest on. `window` has a 1 for each
-- suggestion that was accepted and a 0 for each other one, the oldest first.
CREATE TABLE tool_threshold (
    scope    TEXT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('tool', 'capability')),
    value    REAL NOT NULL CHECK (value BETWEEN 0 AND 1),
    outcomes INTEGER NOT NULL CHECK (outcomes >= 0),
    turns    INTEGER NOT NULL CHECK (turns >= 0),
    since    INTEGER NOT NULL CHECK (since >= 0),
    silent   INTEGER NOT NULL CHECK (silent >= 0),
    window   TEXT NOT NULL,
    PRIMARY KEY (scope, kind)
) STRICT, WITHOUT ROWID;

-- A set of tools that tasks used together, made when one first went well. `tools` are their keys in the order of that
-- task, `id` those in order of their letters, both as JSON; `uses` and `ok` are the sums over `capability_use`.
CREATE TABLE capability (
    scope   TEXT NOT NULL,
    id      TEXT NOT NULL,
    tools   TEXT NOT NULL CHECK (json_valid(tools)),
    uses    INTEGER NOT NULL CHECK (uses > 0),
    ok      INTEGER NOT NULL CHECK (ok >= 0 AND ok <= uses),
    last_at INTEGER NOT NULL,
    PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;

-- The tasks that used it: a task is known by its session and the number of its first run.
CREATE TABLE capability_use (
    scope     TEXT NOT NULL,
    session   TEXT NOT NULL,
    first_row INTEGER NOT NULL,
    id        TEXT NOT NULL,
    is_ok     INTEGER NOT NULL CHECK (is_ok IN (0, 1)),
    at        INTEGER NOT NULL,
    PRIMARY KEY (scope, session, first_row)
) STRICT, WITHOUT ROWID;
CREATE INDEX capability_use_id ON capability_use (scope, id);
CREATE INDEX capability_use_session ON capability_use (session);

-- How far each session was read to learn capabilities, and where its last task begins.
CREATE TABLE tool_cursor (
    session   TEXT NOT NULL,
    scope     TEXT NOT NULL,
    seen      INTEGER NOT NULL CHECK (seen >= 0),
    first_row INTEGER NOT NULL CHECK (first_row >= 0),
    PRIMARY KEY (session, scope)
) STRICT, WITHOUT ROWID;

-- What decisions rested on, as JSON, for those who want it (`tools.trace`); the newest alone. `task` is that of
-- `tool_task` if it was kept, and `question` its text without secrets.
CREATE TABLE algorithm_trace (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    scope    TEXT NOT NULL,
    session  TEXT NOT NULL,
    at       INTEGER NOT NULL,
    task     INTEGER,
    question TEXT NOT NULL,
    data     TEXT NOT NULL CHECK (json_valid(data))
) STRICT;
CREATE INDEX algorithm_trace_scope ON algorithm_trace (scope, number);
