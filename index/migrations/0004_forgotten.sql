-- What was forgotten by id, apart from its file. Why: a forgotten passage stays away when its words change a little and when its file
-- is moved, copied, cut another way or away for a while. Costs up to 4 KB a passage. Never edited once released; a test holds its hash.

-- `words` and `pairs` are hashes of words and of two words in a row under `salt`, 4 bytes each, little-endian, ascending: at most 512,
-- the smallest of `word_count` and `pair_count`. No hash: only the very same text in the same file stays away (schema 3). `at` is
-- unknown for what was forgotten under schema 3; `path` is empty when the file was forgotten too.
CREATE TABLE forgotten (
    id         INTEGER PRIMARY KEY,
    uid        TEXT NOT NULL UNIQUE,
    at         INTEGER,
    path       TEXT,
    lines      INTEGER,
    salt       BLOB NOT NULL CHECK (length(salt) = 16),
    word_count INTEGER NOT NULL,
    words      BLOB NOT NULL CHECK (length(words) % 4 = 0),
    pair_count INTEGER NOT NULL,
    pairs      BLOB NOT NULL CHECK (length(pairs) % 4 = 0)
) STRICT;

-- Files that a forgotten passage was kept out of: they are read again when it is no longer to be forgotten.
CREATE TABLE kept_out (
    forgotten_id INTEGER NOT NULL REFERENCES forgotten (id) ON DELETE CASCADE,
    source_id    INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    PRIMARY KEY (forgotten_id, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_out_source ON kept_out (source_id);

INSERT INTO forgotten (uid, at, path, lines, salt, word_count, words, pair_count, pairs)
SELECT item.uid, NULL, source.path, item.line_end - item.line_start + 1, randomblob(16), 0, x'', 0, x''
FROM item LEFT JOIN source ON source.id = item.source_id WHERE item.state = 'retired';
