-- Which items' vectors have changed. Why: the file of vectors beside the database is brought up to date by what is new alone, and not
-- made again whenever a text changes. Costs a short row for each change until that file is written anew. `mark` tells two histories
-- of one database apart. Never edited once released; a test holds its hash.
CREATE TABLE vector_change (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id INTEGER NOT NULL,
    mark    BLOB NOT NULL DEFAULT (randomblob(8))
) STRICT;

CREATE TRIGGER embedding_added AFTER INSERT ON embedding BEGIN
    INSERT INTO vector_change (item_id) VALUES (NEW.item_id);
END;
CREATE TRIGGER embedding_changed AFTER UPDATE ON embedding BEGIN
    INSERT INTO vector_change (item_id) VALUES (NEW.item_id);
END;
CREATE TRIGGER embedding_removed AFTER DELETE ON embedding BEGIN
    INSERT INTO vector_change (item_id) VALUES (OLD.item_id);
END;
CREATE TRIGGER vector_added AFTER INSERT ON vector BEGIN
    INSERT INTO vector_change (item_id) SELECT item_id FROM embedding WHERE text_hash = NEW.text_hash;
END;
CREATE TRIGGER vector_changed AFTER UPDATE ON vector BEGIN
    INSERT INTO vector_change (item_id) SELECT item_id FROM embedding WHERE text_hash = NEW.text_hash;
END;
CREATE TRIGGER vector_removed AFTER DELETE ON vector BEGIN
    INSERT INTO vector_change (item_id) SELECT item_id FROM embedding WHERE text_hash = OLD.text_hash;
END;
