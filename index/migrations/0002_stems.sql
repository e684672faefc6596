-- Keywords are cut to their stem by another algorithm: a text and a question must be cut by the same one.
-- `keywords` is a function of ours, from title and body to tokens joined by spaces.
INSERT INTO item_fts (item_fts) VALUES ('delete-all');
INSERT INTO item_fts (rowid, words) SELECT id, keywords(title, body) FROM item WHERE state = 'active';
