-- Long texts have vectors of their stretches too, as parts from 1 on; part 0 is the whole. Why: the vector of a long text says what it
-- is about and not what stands in one place of it. Costs the time to embed long texts once more, at the next indexing. `passage_hash`
-- is a function of ours: the hash of an item's part, null where it has no such part. Never edited once released; a test holds its hash.
INSERT INTO embedding (item_id, part, text_hash)
WITH RECURSIVE part (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM part WHERE number < 32)
SELECT item.id, part.number, passage_hash(item.title, item.body, item.attributes, part.number)
FROM item JOIN part
WHERE item.state = 'active' AND passage_hash(item.title, item.body, item.attributes, part.number) IS NOT NULL;
