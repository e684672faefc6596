-- Items that programs put in, and attributes to filter by. Why: a program names its items by ids of its own and lists them in
-- their order, and a condition on attributes is answered by an index and not by reading the JSON of every item. Both tables are
-- derived from `item.attributes`, and are made again from there by a repair. Costs nothing for items of files, which have
-- neither. Never edited once released; a test holds its hash.

-- The id that a program gave an item; unique within a scope.
CREATE TABLE external_item (
    item_id INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    id      TEXT NOT NULL,
    scope   TEXT NOT NULL,
    UNIQUE (id, scope)
) STRICT;

-- A row for each value, and for each text of a list; an empty list has one row without a text. `number` is that of a number, and
-- 0 or 1 of a boolean.
CREATE TABLE attribute (
    item_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    key     TEXT NOT NULL,
    part    INTEGER NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('text', 'number', 'boolean', 'list')),
    text    TEXT,
    number  REAL,
    PRIMARY KEY (item_id, key, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX attribute_text ON attribute (key, text);
CREATE INDEX attribute_number ON attribute (key, number);
