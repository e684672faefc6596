-- The first schema of a copy in PostgreSQL: the tables of the SQLite database (schema 12), column by column, without
-- what is derived from them. Texts compare byte by byte, as they do there. Rules about values are SQLite's; a copy is
-- made by `ken store copy` alone. Never edited once released; a test holds its hash.

CREATE TABLE "meta" (
    "key" text COLLATE "C" NOT NULL,
    "value" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("key")
);
CREATE TABLE "repository" (
    "root" text COLLATE "C" NOT NULL,
    "id" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("root")
);
CREATE TABLE "source" (
    "id" bigint NOT NULL,
    "path" text COLLATE "C" NOT NULL,
    "root" text COLLATE "C" NOT NULL,
    "kind" text COLLATE "C" NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "sha256" bytea NOT NULL,
    "size" bigint NOT NULL,
    "mtime_ns" bigint NOT NULL,
    "indexed_at" bigint NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "item" (
    "id" bigint NOT NULL,
    "uid" text COLLATE "C" NOT NULL,
    "kind" text COLLATE "C" NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "authority" text COLLATE "C" NOT NULL,
    "state" text COLLATE "C" NOT NULL,
    "title" text COLLATE "C" NOT NULL,
    "body" text COLLATE "C" NOT NULL,
    "text_hash" bytea NOT NULL,
    "words" bigint NOT NULL,
    "attributes" text COLLATE "C" NOT NULL,
    "source_id" bigint,
    "byte_start" bigint,
    "byte_end" bigint,
    "line_start" bigint,
    "line_end" bigint,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "external_item" (
    "item_id" bigint NOT NULL,
    "id" text COLLATE "C" NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("item_id")
);
CREATE TABLE "attribute" (
    "item_id" bigint NOT NULL,
    "key" text COLLATE "C" NOT NULL,
    "part" bigint NOT NULL,
    "kind" text COLLATE "C" NOT NULL,
    "text" text COLLATE "C",
    "number" double precision,
    PRIMARY KEY ("item_id", "key", "part")
);
CREATE TABLE "embedding" (
    "item_id" bigint NOT NULL,
    "part" bigint NOT NULL,
    "text_hash" bytea NOT NULL,
    PRIMARY KEY ("item_id", "part")
);
CREATE TABLE "model" (
    "id" bigint NOT NULL,
    "fingerprint" text COLLATE "C" NOT NULL,
    "dims" bigint NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "vector" (
    "id" bigint NOT NULL,
    "model_id" bigint NOT NULL,
    "text_hash" bytea NOT NULL,
    "data" bytea NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "usage" (
    "uid" text COLLATE "C" NOT NULL,
    "days" bigint NOT NULL,
    "last_day" bigint NOT NULL,
    "served" bigint NOT NULL,
    "last_served" bigint NOT NULL,
    "confirmed" bigint NOT NULL,
    PRIMARY KEY ("uid")
);
CREATE TABLE "link" (
    "from_uid" text COLLATE "C" NOT NULL,
    "to_uid" text COLLATE "C" NOT NULL,
    "relation" text COLLATE "C" NOT NULL,
    "weight" double precision NOT NULL,
    PRIMARY KEY ("from_uid", "to_uid", "relation")
);
CREATE TABLE "event" (
    "id" bigint NOT NULL,
    "at" bigint NOT NULL,
    "name" text COLLATE "C" NOT NULL,
    "data" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "forgotten" (
    "id" bigint NOT NULL,
    "uid" text COLLATE "C" NOT NULL,
    "at" bigint,
    "path" text COLLATE "C",
    "lines" bigint,
    "salt" bytea NOT NULL,
    "word_count" bigint NOT NULL,
    "words" bytea NOT NULL,
    "pair_count" bigint NOT NULL,
    "pairs" bytea NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "kept_out" (
    "forgotten_id" bigint NOT NULL,
    "source_id" bigint NOT NULL,
    PRIMARY KEY ("forgotten_id", "source_id")
);
CREATE TABLE "memory_event" (
    "number" bigint NOT NULL,
    "at" bigint NOT NULL,
    "memory" text COLLATE "C" NOT NULL,
    "session" text COLLATE "C" NOT NULL,
    "author" text COLLATE "C" NOT NULL,
    "change" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("number")
);
CREATE TABLE "memory_words" (
    "event" bigint NOT NULL,
    "memory" text COLLATE "C" NOT NULL,
    "words" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("event")
);
CREATE TABLE "memory" (
    "id" text COLLATE "C" NOT NULL,
    "item_id" bigint,
    "kind" text COLLATE "C" NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "state" text COLLATE "C" NOT NULL,
    "is_held" bigint NOT NULL,
    "match_key" text COLLATE "C",
    "fingerprint" text COLLATE "C",
    "ends_at" bigint,
    "last_at" bigint NOT NULL,
    "data" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "outcome_session" (
    "session" text COLLATE "C" NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "rows" bigint NOT NULL,
    "kept" bigint NOT NULL,
    "analysed" bigint NOT NULL,
    "first_at" bigint NOT NULL,
    "last_at" bigint NOT NULL,
    PRIMARY KEY ("session")
);
CREATE TABLE "tool_outcome" (
    "session" text COLLATE "C" NOT NULL,
    "sequence" bigint NOT NULL,
    "at" bigint NOT NULL,
    "tool" text COLLATE "C" NOT NULL,
    "head" text COLLATE "C" NOT NULL,
    "input" text COLLATE "C" NOT NULL,
    "input_fingerprint" text COLLATE "C" NOT NULL,
    "is_ok" bigint NOT NULL,
    "exit_code" bigint,
    "error" text COLLATE "C" NOT NULL,
    "error_fingerprint" text COLLATE "C",
    "duration_ms" bigint,
    "scope" text COLLATE "C" NOT NULL,
    "call" text COLLATE "C",
    PRIMARY KEY ("session", "sequence")
);
CREATE TABLE "error_log" (
    "id" bigint NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "tool" text COLLATE "C" NOT NULL,
    "head" text COLLATE "C" NOT NULL,
    "error_fingerprint" text COLLATE "C" NOT NULL,
    "example" text COLLATE "C" NOT NULL,
    "example_session" text COLLATE "C" NOT NULL,
    "count" bigint NOT NULL,
    "first_at" bigint NOT NULL,
    "last_at" bigint NOT NULL,
    PRIMARY KEY ("id")
);
CREATE TABLE "error_session" (
    "error" bigint NOT NULL,
    "session" text COLLATE "C" NOT NULL,
    "count" bigint NOT NULL,
    "first_at" bigint NOT NULL,
    "last_at" bigint NOT NULL,
    PRIMARY KEY ("error", "session")
);
CREATE TABLE "outcome_batch" (
    "number" bigint NOT NULL,
    "claimed_at" bigint NOT NULL,
    "session" text COLLATE "C" NOT NULL,
    "from_row" bigint NOT NULL,
    "to_row" bigint NOT NULL,
    "worker" text COLLATE "C" NOT NULL,
    "state" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("number")
);
CREATE TABLE "outcome_pattern" (
    "id" text COLLATE "C" NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "kind" text COLLATE "C" NOT NULL,
    "state" text COLLATE "C" NOT NULL,
    "confidence" double precision NOT NULL,
    "data" text COLLATE "C" NOT NULL,
    "last_at" bigint NOT NULL,
    "memory" text COLLATE "C",
    PRIMARY KEY ("id")
);
CREATE TABLE "tool" (
    "scope" text COLLATE "C" NOT NULL,
    "key" text COLLATE "C" NOT NULL,
    "data" text COLLATE "C" NOT NULL,
    "digest" text COLLATE "C" NOT NULL,
    "approved" text COLLATE "C" NOT NULL,
    "source" text COLLATE "C" NOT NULL,
    "changed_at" bigint NOT NULL,
    PRIMARY KEY ("scope", "key")
);
CREATE TABLE "tool_task" (
    "number" bigint NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "session" text COLLATE "C" NOT NULL,
    "after_row" bigint NOT NULL,
    "at" bigint NOT NULL,
    "task" text COLLATE "C" NOT NULL,
    "fingerprint" text COLLATE "C" NOT NULL,
    "used" text COLLATE "C" NOT NULL,
    "state" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("number")
);
CREATE TABLE "tool_suggestion" (
    "task" bigint NOT NULL,
    "kind" text COLLATE "C" NOT NULL,
    "name" text COLLATE "C" NOT NULL,
    "place" bigint NOT NULL,
    "score" double precision NOT NULL,
    "is_suggested" bigint NOT NULL,
    "is_accepted" bigint,
    PRIMARY KEY ("task", "kind", "name")
);
CREATE TABLE "tool_threshold" (
    "scope" text COLLATE "C" NOT NULL,
    "kind" text COLLATE "C" NOT NULL,
    "value" double precision NOT NULL,
    "outcomes" bigint NOT NULL,
    "turns" bigint NOT NULL,
    "since" bigint NOT NULL,
    "silent" bigint NOT NULL,
    "window" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("scope", "kind")
);
CREATE TABLE "capability" (
    "scope" text COLLATE "C" NOT NULL,
    "id" text COLLATE "C" NOT NULL,
    "tools" text COLLATE "C" NOT NULL,
    "uses" bigint NOT NULL,
    "ok" bigint NOT NULL,
    "last_at" bigint NOT NULL,
    PRIMARY KEY ("scope", "id")
);
CREATE TABLE "capability_use" (
    "scope" text COLLATE "C" NOT NULL,
    "session" text COLLATE "C" NOT NULL,
    "first_row" bigint NOT NULL,
    "id" text COLLATE "C" NOT NULL,
    "is_ok" bigint NOT NULL,
    "at" bigint NOT NULL,
    PRIMARY KEY ("scope", "session", "first_row")
);
CREATE TABLE "tool_cursor" (
    "session" text COLLATE "C" NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "seen" bigint NOT NULL,
    "first_row" bigint NOT NULL,
    PRIMARY KEY ("session", "scope")
);
CREATE TABLE "algorithm_trace" (
    "number" bigint NOT NULL,
    "scope" text COLLATE "C" NOT NULL,
    "session" text COLLATE "C" NOT NULL,
    "at" bigint NOT NULL,
    "task" bigint,
    "question" text COLLATE "C" NOT NULL,
    "data" text COLLATE "C" NOT NULL,
    PRIMARY KEY ("number")
);
