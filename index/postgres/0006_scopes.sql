-- Rights by scope. Why: the tokens of services alone kept teams apart, so whoever had the password of the database read
-- everything. Now the database itself withholds the rows of other scopes from a role that is neither the owner of the
-- tables nor free of row-level security. The administrator says in `reader` which role reads and writes which scopes.
-- Costs one pass over items, memory events, counters of use and forgotten passages. The words of items are made anew
-- later (`index_words`), because postings of all scopes lay together. Never edited once released; a test holds its
-- hash.
--
-- These tables hold nothing of a scope and stay open to whoever may read them: `meta` (settings of the store, counts,
-- what was measured), `model`, `corpus` (how much text there is in all), `vector_change` (row ids of items whose
-- vectors changed, in that order), `schema_version`.

-- Who reads and writes which scope, a scope as `item` has it; '*' is every scope. A role counts for its members too.
CREATE TABLE "reader" (
    "role" name NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("role", "scope")
);
-- Everybody sees their own rows. There is no rule for changes, so the owner alone makes any, whatever was granted.
ALTER TABLE "reader" ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON "reader" FOR SELECT USING (EXISTS (
    SELECT FROM pg_catalog.pg_roles WHERE rolname = "role" AND pg_catalog.pg_has_role(pg_roles.oid, 'USAGE')));
GRANT SELECT ON "reader" TO PUBLIC;
-- What a role could read so far it reads still.
INSERT INTO "reader"
    SELECT DISTINCT rolname, '*' FROM pg_class CROSS JOIN aclexplode(relacl) AS granted
    JOIN pg_roles ON pg_roles.oid = granted.grantee
    WHERE pg_class.oid = 'kenning.item'::regclass AND privilege_type = 'SELECT' AND grantee <> relowner;

-- These run with the rights of whoever asks, to whom `reader` shows their own rows alone. A policy asks each once for a
-- statement and not for every row, because it does so in a subquery of its own.
CREATE FUNCTION kenning.own_scopes() RETURNS SETOF text LANGUAGE sql STABLE
    SET search_path = pg_catalog, kenning, pg_temp
    AS 'SELECT scope FROM kenning.reader';
CREATE FUNCTION kenning.reads_all() RETURNS boolean LANGUAGE sql STABLE
    SET search_path = pg_catalog, kenning, pg_temp
    AS $$ SELECT NOT row_security_active('kenning.item')
        OR EXISTS (SELECT FROM kenning.reader WHERE scope = '*') $$;

-- Scopes of rows that do not name one: of an event of a memory, a counter, a forgotten passage. An event or a passage
-- without a scope is for those alone who read all.
ALTER TABLE "memory_event" ADD COLUMN "scope" text COLLATE "C";
ALTER TABLE "usage" ADD COLUMN "scope" text COLLATE "C";
ALTER TABLE "forgotten" ADD COLUMN "scope" text COLLATE "C";
ALTER TABLE "memory_event" DISABLE TRIGGER memory_event_kept;
UPDATE "memory_event" SET "scope" = "memory"."scope" FROM "memory" WHERE "memory"."id" = "memory_event"."memory";
ALTER TABLE "memory_event" ENABLE TRIGGER memory_event_kept;

-- The first event of a memory says where it counts, and it never moves.
CREATE FUNCTION kenning.event_scope() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    NEW.scope := coalesce(
        (SELECT scope FROM kenning.memory WHERE id = NEW.memory),
        (SELECT scope FROM kenning.memory_event WHERE memory = NEW.memory AND scope IS NOT NULL LIMIT 1),
        kenning.marked(NEW.change) ->> 'scope');
    RETURN NEW;
END $$;
CREATE TRIGGER event_scope BEFORE INSERT ON "memory_event" FOR EACH ROW EXECUTE FUNCTION kenning.event_scope();

-- A counter has no scope if it counts an entry of a pack, which everybody has. If its id looks like an item's but there
-- is no such item, the item was deleted: its scope is then '', which nobody has.
CREATE FUNCTION kenning.scope_of_use(used text) RETURNS text LANGUAGE sql STABLE
    SET search_path = pg_catalog, kenning, pg_temp AS $$
    SELECT coalesce((SELECT scope FROM kenning.item WHERE uid = used),
        CASE WHEN used ~ '^(chunk|item|memory)/' THEN '' END)
$$;
CREATE FUNCTION kenning.usage_scope() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    NEW.scope := kenning.scope_of_use(NEW.uid);
    RETURN NEW;
END $$;
CREATE TRIGGER usage_scope BEFORE INSERT ON "usage" FOR EACH ROW EXECUTE FUNCTION kenning.usage_scope();
UPDATE "usage" SET "scope" = kenning.scope_of_use("uid");

CREATE FUNCTION kenning.scope_of_forgotten(forgotten_uid text, forgotten_path text) RETURNS text LANGUAGE sql STABLE
    SET search_path = pg_catalog, kenning, pg_temp AS $$
    SELECT coalesce((SELECT scope FROM kenning.item WHERE uid = forgotten_uid),
        (SELECT scope FROM kenning.source WHERE path = forgotten_path))
$$;
CREATE FUNCTION kenning.forgotten_scope() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    NEW.scope := kenning.scope_of_forgotten(NEW.uid, NEW.path);
    RETURN NEW;
END $$;
CREATE TRIGGER forgotten_scope BEFORE INSERT ON "forgotten" FOR EACH ROW EXECUTE FUNCTION kenning.forgotten_scope();
UPDATE "forgotten" SET "scope" = kenning.scope_of_forgotten("uid", "path");

-- Words by scope: a segment holds postings of one scope, and sizes are counted for each. Whoever asks adds up what they
-- see.
TRUNCATE "item_words", "word_segment", "posting", "dead_words", "dead_term", "word_total";
ALTER TABLE "item_words" ADD COLUMN "scope" text COLLATE "C" NOT NULL;
ALTER TABLE "word_segment" ADD COLUMN "scope" text COLLATE "C" NOT NULL;
CREATE INDEX word_segment_scope ON "word_segment" ("scope", "postings");
-- Of many segments few hold a term.
CREATE INDEX posting_term ON "posting" ("term");
ALTER TABLE "dead_words" ADD COLUMN "scope" text COLLATE "C" NOT NULL;
ALTER TABLE "dead_term" DROP CONSTRAINT "dead_term_pkey", ADD COLUMN "scope" text COLLATE "C" NOT NULL;
ALTER TABLE "dead_term" ADD PRIMARY KEY ("term", "scope");
-- `items` are all that should have words.
ALTER TABLE "word_total" DROP COLUMN "one", ADD COLUMN "scope" text COLLATE "C" PRIMARY KEY,
    ADD COLUMN "items" bigint NOT NULL;
INSERT INTO "word_total" ("scope", "items", "documents", "tokens")
    SELECT "scope", count(*), 0, 0 FROM "item" WHERE "state" = 'active' GROUP BY "scope";

CREATE OR REPLACE FUNCTION kenning.words_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    INSERT INTO kenning.word_total AS known (scope, items, documents, tokens)
        SELECT scope, 0, count(*), sum(length) FROM added GROUP BY scope
        ON CONFLICT (scope) DO UPDATE SET documents = known.documents + excluded.documents,
            tokens = known.tokens + excluded.tokens;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION kenning.words_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    PERFORM FROM removed;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE kenning.word_total SET documents = documents - many, tokens = tokens - less
        FROM (SELECT scope, count(*) AS many, sum(length) AS less FROM removed GROUP BY scope) AS sizes
        WHERE word_total.scope = sizes.scope;
    INSERT INTO kenning.dead_words (item, born, scope) SELECT item, born, scope FROM removed;
    INSERT INTO kenning.dead_term (term, scope, documents)
        SELECT term, scope, count(*) FROM removed CROSS JOIN unnest(removed.terms) AS term GROUP BY term, scope
        ON CONFLICT (term, scope) DO UPDATE SET documents = dead_term.documents + excluded.documents;
    RETURN NULL;
END $$;

-- When an item moves to another scope, its words are removed and then written again in the new scope.
DROP TRIGGER words_outdated ON "item";
CREATE TRIGGER words_outdated AFTER UPDATE OF "state", "title", "body", "scope" ON "item" FOR EACH ROW
    WHEN ((OLD.state, OLD.title, OLD.body, OLD.scope) IS DISTINCT FROM (NEW.state, NEW.title, NEW.body, NEW.scope))
    EXECUTE FUNCTION kenning.words_outdated();
ALTER FUNCTION kenning.words_outdated() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;

CREATE OR REPLACE FUNCTION kenning.items_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    PERFORM kenning.count_corpus(count(*), coalesce(sum(words), 0)) FROM added WHERE state = 'active';
    INSERT INTO kenning.word_total AS known (scope, items, documents, tokens)
        SELECT scope, count(*), 0, 0 FROM added WHERE state = 'active' GROUP BY scope
        ON CONFLICT (scope) DO UPDATE SET items = known.items + excluded.items;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION kenning.items_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    PERFORM kenning.count_corpus(-count(*), -coalesce(sum(words), 0)) FROM removed WHERE state = 'active';
    UPDATE kenning.word_total SET items = items - many
        FROM (SELECT scope, count(*) AS many FROM removed WHERE state = 'active' GROUP BY scope) AS sizes
        WHERE word_total.scope = sizes.scope;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION kenning.items_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    PERFORM kenning.count_corpus(sum(sign)::bigint, sum(sign * words)) FROM (
        SELECT 1 AS sign, words FROM added WHERE state = 'active'
        UNION ALL SELECT -1, words FROM removed WHERE state = 'active') AS both_sides
    HAVING count(*) > 0;
    INSERT INTO kenning.word_total AS known (scope, items, documents, tokens)
        SELECT scope, sum(sign), 0, 0 FROM (
            SELECT 1 AS sign, scope FROM added WHERE state = 'active'
            UNION ALL SELECT -1, scope FROM removed WHERE state = 'active') AS both_sides
        GROUP BY scope HAVING sum(sign) <> 0
        ON CONFLICT (scope) DO UPDATE SET items = known.items + excluded.items;
    PERFORM FROM added JOIN removed ON removed.id = added.id WHERE added.scope <> removed.scope;
    IF FOUND THEN
        UPDATE kenning.usage SET scope = added.scope FROM added JOIN removed ON removed.id = added.id
            WHERE usage.uid = added.uid AND added.scope <> removed.scope;
    END IF;
    RETURN NULL;
END $$;

-- When one user changes how files are cut, the files of all scopes are cut again.
CREATE FUNCTION kenning.cut_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, kenning, pg_temp AS $$ BEGIN
    UPDATE kenning.source SET size = -1, sha256 = decode(repeat('00', 32), 'hex') WHERE root <> '' AND size <> -1;
    RETURN NULL;
END $$;
CREATE TRIGGER cut_first AFTER INSERT ON "meta" FOR EACH ROW WHEN (NEW.key = 'cut')
    EXECUTE FUNCTION kenning.cut_changed();
CREATE TRIGGER cut_changed AFTER UPDATE ON "meta" FOR EACH ROW
    WHEN (NEW.key = 'cut' AND NEW.value IS DISTINCT FROM OLD.value) EXECUTE FUNCTION kenning.cut_changed();

-- The policies, first of tables with a column for the scope.
DO $$
DECLARE one record;
BEGIN
    FOR one IN SELECT * FROM (VALUES ('repository', 'id'), ('source', 'scope'), ('item', 'scope'), ('memory', 'scope'),
        ('memory_event', 'scope'), ('forgotten', 'scope'), ('outcome_session', 'scope'), ('tool_outcome', 'scope'),
        ('error_log', 'scope'), ('outcome_pattern', 'scope'), ('tool', 'scope'), ('tool_task', 'scope'),
        ('tool_threshold', 'scope'), ('capability', 'scope'), ('capability_use', 'scope'), ('tool_cursor', 'scope'),
        ('algorithm_trace', 'scope'), ('item_words', 'scope'), ('word_segment', 'scope'), ('dead_words', 'scope'),
        ('dead_term', 'scope'), ('word_total', 'scope')) AS scoped (name, key)
    LOOP
        EXECUTE format('CREATE POLICY of_scope ON kenning.%I USING ((SELECT kenning.reads_all())
            OR %I IN (SELECT kenning.own_scopes()))', one.name, one.key);
    END LOOP;
    -- A row that belongs to a row of another table is visible to those who see that row.
    FOR one IN SELECT * FROM (VALUES ('external_item', 'item', 'item.id = external_item.item_id'),
        ('attribute', 'item', 'item.id = attribute.item_id'), ('embedding', 'item', 'item.id = embedding.item_id'),
        ('kept_out', 'source', 'source.id = kept_out.source_id'),
        ('memory_words', 'memory_event', 'memory_event.number = memory_words.event'),
        ('error_session', 'error_log', 'error_log.id = error_session.error'),
        ('outcome_batch', 'outcome_session', 'outcome_session.session = outcome_batch.session'),
        ('tool_suggestion', 'tool_task', 'tool_task.number = tool_suggestion.task')) AS belonging (name, other, same)
    LOOP
        EXECUTE format('CREATE POLICY of_scope ON kenning.%I USING ((SELECT kenning.reads_all())
            OR EXISTS (SELECT FROM kenning.%I WHERE %s))', one.name, one.other, one.same);
    END LOOP;
    -- A vector belongs to all items with its text. It may be added before its items, which tells nothing about others.
    FOR one IN SELECT * FROM (VALUES ('vector'), ('half_vector')) AS vectors (name)
    LOOP
        EXECUTE format('CREATE POLICY of_scope ON kenning.%I USING ((SELECT kenning.reads_all())
            OR EXISTS (SELECT FROM kenning.embedding WHERE embedding.text_hash = %1$I.text_hash))
            WITH CHECK (TRUE)', one.name);
    END LOOP;
END $$;
CREATE POLICY of_scope ON "posting" USING ((SELECT kenning.reads_all())
    OR "segment" IN (SELECT number FROM kenning.word_segment));
CREATE POLICY of_scope ON "link" USING ((SELECT kenning.reads_all())
    OR EXISTS (SELECT FROM kenning.memory WHERE memory.id = "from_uid")
    OR EXISTS (SELECT FROM kenning.item WHERE item.uid = "from_uid"));
CREATE POLICY of_scope ON "usage" USING ("scope" IS NULL OR (SELECT kenning.reads_all())
    OR "scope" IN (SELECT kenning.own_scopes()));
-- Only those who read all read the log of events, because it has the changes of all. Everybody adds to it.
CREATE POLICY told ON "event" FOR SELECT USING ((SELECT kenning.reads_all()));
CREATE POLICY kept ON "event" FOR INSERT WITH CHECK (TRUE);

DO $$
DECLARE one text;
BEGIN
    FOR one IN SELECT DISTINCT tablename FROM pg_policies WHERE schemaname = 'kenning' AND tablename <> 'reader'
    LOOP
        EXECUTE format('ALTER TABLE kenning.%I ENABLE ROW LEVEL SECURITY', one);
    END LOOP;
END $$;
