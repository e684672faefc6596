-- The first schema. Why: the truth about what is indexed and learnt moves from nothing to SQLite. Costs nothing: the
-- database is new. Never edited once released; a test holds its hash. Times are milliseconds since 1970, UTC.

-- Facts about the database itself: `active_model` (fingerprint), `vector_seq`, `switched_from`, `switched_to`.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Ids of repositories, which are costly to find in a long history.
CREATE TABLE repository (
    root TEXT PRIMARY KEY,
    id   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A file as it was when it was indexed. `root` is the path that was given to `ken index`.
CREATE TABLE source (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,
    root       TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('markdown', 'text')),
    scope      TEXT NOT NULL,
    sha256     BLOB NOT NULL CHECK (length(sha256) = 32),
    size       INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    indexed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX source_root ON source (root);

-- Everything that can be found. `words` is the number of keyword tokens of title and body, for BM25. A retired item keeps
-- its uid and the hash of its text, nothing else: what was forgotten does not come back with the next indexing.
CREATE TABLE item (
    id         INTEGER PRIMARY KEY,
    uid        TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('canon', 'chunk', 'preference', 'fact', 'tactic', 'problem', 'tool')),
    scope      TEXT NOT NULL,
    authority  TEXT NOT NULL CHECK (authority IN ('personal', 'team', 'org')),
    state      TEXT NOT NULL CHECK (state IN ('active', 'disputed', 'retired')),
    title      TEXT NOT NULL,
    body       TEXT NOT NULL,
    text_hash  BLOB NOT NULL CHECK (length(text_hash) = 16),
    words      INTEGER NOT NULL,
    attributes TEXT NOT NULL CHECK (json_valid(attributes)),
    source_id  INTEGER REFERENCES source (id) ON DELETE CASCADE,
    byte_start INTEGER,
    byte_end   INTEGER,
    line_start INTEGER,
    line_end   INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX item_source ON item (source_id);
CREATE INDEX item_filter ON item (state, kind, scope);

-- Texts of an item that have a vector, by the hash of the text that is embedded.
CREATE TABLE embedding (
    item_id   INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    part      INTEGER NOT NULL,
    text_hash BLOB NOT NULL CHECK (length(text_hash) = 16),
    PRIMARY KEY (item_id, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedding_text ON embedding (text_hash);

CREATE TABLE model (
    id          INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dims        INTEGER NOT NULL CHECK (dims > 0)
) STRICT;

-- One vector per text and model, f32 little-endian, of unit length. Also the cache that lets a text that comes back keep
-- its vector.
CREATE TABLE vector (
    id        INTEGER PRIMARY KEY,
    model_id  INTEGER NOT NULL REFERENCES model (id) ON DELETE CASCADE,
    text_hash BLOB NOT NULL CHECK (length(text_hash) = 16),
    data      BLOB NOT NULL,
    UNIQUE (model_id, text_hash)
) STRICT;

-- Keyword tokens of active items, for candidates; rows have the item's id. The text itself stands in `item` alone.
CREATE VIRTUAL TABLE item_fts USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 tokenchars '_-.'"
);
CREATE VIRTUAL TABLE item_word USING fts5vocab (item_fts, row);

-- Sizes that BM25 needs, kept by the triggers below.
CREATE TABLE corpus (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    items INTEGER NOT NULL,
    words INTEGER NOT NULL
) STRICT;
INSERT INTO corpus VALUES (1, 0, 0);

CREATE TRIGGER item_added AFTER INSERT ON item WHEN new.state = 'active' BEGIN
    UPDATE corpus SET items = items + 1, words = words + new.words;
END;
CREATE TRIGGER item_removed AFTER DELETE ON item WHEN old.state = 'active' BEGIN
    UPDATE corpus SET items = items - 1, words = words - old.words;
    DELETE FROM item_fts WHERE rowid = old.id;
END;
CREATE TRIGGER item_withdrawn AFTER UPDATE OF state ON item WHEN old.state = 'active' AND new.state <> 'active' BEGIN
    UPDATE corpus SET items = items - 1, words = words - old.words;
    DELETE FROM item_fts WHERE rowid = old.id;
END;

-- How often something was of use. By public id, so that entries of packs are counted too. `days` are distinct days.
CREATE TABLE usage (
    uid         TEXT PRIMARY KEY,
    days        INTEGER NOT NULL,
    last_day    INTEGER NOT NULL,
    served      INTEGER NOT NULL,
    last_served INTEGER NOT NULL,
    confirmed   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE link (
    from_uid TEXT NOT NULL,
    to_uid   TEXT NOT NULL,
    relation TEXT NOT NULL,
    weight   REAL NOT NULL,
    PRIMARY KEY (from_uid, to_uid, relation)
) STRICT, WITHOUT ROWID;

-- What happened, in order. Holds counts and ids, never text of documents.
CREATE TABLE event (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    at   INTEGER NOT NULL,
    name TEXT NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data))
) STRICT;
CREATE TRIGGER event_kept BEFORE DELETE ON event BEGIN
    SELECT raise(ABORT, 'events are never removed');
END;
CREATE TRIGGER event_fixed BEFORE UPDATE ON event BEGIN
    SELECT raise(ABORT, 'events are never changed');
END;
