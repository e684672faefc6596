-- Tools that an agent could call. Why: a task is compared with what tools say of themselves, and what sessions did with
-- them. Costs nothing for those who add none.
-- Never edited once released; a test holds its hash.

-- A tool, as JSON, and the columns that reads ask for. `digest` is of all that it says of itself, `approved` the digest
-- that somebody has seen and allowed: while the two differ it is not offered.
CREATE TABLE tool (
    scope      TEXT NOT NULL,
    key        TEXT NOT NULL,
    data       TEXT NOT NULL CHECK (json_valid(data)),
    digest     TEXT NOT NULL,
    approved   TEXT NOT NULL,
    source     TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
