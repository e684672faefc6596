-- What was learnt. Why: fixes, quirks and conventions that somebody met are kept with what they rest on. The log is
-- the truth; `memory` and the items of memories are made from it. What somebody wrote stands in `memory_words`, apart
-- from the events, which are never changed: so it can be forgotten. Costs nothing for those who remember nothing.
-- Never edited once released; a test holds its hash.

-- `author` and `change` are JSON without free text; `session` is the id of the session.
CREATE TABLE memory_event (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    memory  TEXT NOT NULL,
    session TEXT NOT NULL,
    author  TEXT NOT NULL CHECK (json_valid(author)),
    change  TEXT NOT NULL CHECK (json_valid(change))
) STRICT;
CREATE INDEX memory_event_memory ON memory_event (memory);
CREATE TRIGGER memory_event_kept BEFORE DELETE ON memory_event BEGIN
    SELECT raise(ABORT, 'events are never removed');
END;
CREATE TRIGGER memory_event_fixed BEFORE UPDATE ON memory_event BEGIN
    SELECT raise(ABORT, 'events are never changed');
END;

-- The words of an event; none once they are forgotten.
CREATE TABLE memory_words (
    event  INTEGER PRIMARY KEY REFERENCES memory_event (number),
    memory TEXT NOT NULL,
    words  TEXT NOT NULL CHECK (json_valid(words))
) STRICT;
CREATE INDEX memory_words_memory ON memory_words (memory);

-- What the events of a memory come to, as JSON, and the columns that reads ask for. `item_id` is that of the item that
-- is searched while it may be served. `match_key` is shared by what updates one another.
CREATE TABLE memory (
    id          TEXT PRIMARY KEY,
    item_id     INTEGER UNIQUE REFERENCES item (id) ON DELETE SET NULL,
    kind        TEXT NOT NULL,
    scope       TEXT NOT NULL,
    state       TEXT NOT NULL,
    is_held     INTEGER NOT NULL,
    match_key   TEXT,
    fingerprint TEXT,
    ends_at     INTEGER,
    last_at     INTEGER NOT NULL,
    data        TEXT NOT NULL CHECK (json_valid(data))
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_scope ON memory (scope, last_at DESC, id);
CREATE INDEX memory_kind ON memory (scope, kind, last_at DESC, id);
CREATE INDEX memory_match ON memory (match_key) WHERE match_key IS NOT NULL;
CREATE INDEX memory_error ON memory (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX memory_ends ON memory (ends_at) WHERE ends_at IS NOT NULL;
CREATE INDEX link_to ON link (to_uid);
