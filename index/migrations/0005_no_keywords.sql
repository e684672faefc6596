-- The keyword index goes. Why: searches ask the file of words beside the database, which is made from the items' texts,
-- so the table was written for nobody. Costs a rewrite of its pages, once: `secure_delete` overwrites each page that a
-- dropped table frees, so no word of a text that is gone stays in them. They are used again, and `ken gc` gives them
-- back to the disk. Never edited once released; a test holds its hash.
DROP TRIGGER item_removed;
DROP TRIGGER item_withdrawn;
DROP TABLE item_word;
DROP TABLE item_fts;

CREATE TRIGGER item_removed AFTER DELETE ON item WHEN old.state = 'active' BEGIN
    UPDATE corpus SET items = items - 1, words = words - old.words;
END;
CREATE TRIGGER item_withdrawn AFTER UPDATE OF state ON item WHEN old.state = 'active' AND new.state <> 'active' BEGIN
    UPDATE corpus SET items = items - 1, words = words - old.words;
END;
