-- Vectors as the server compares them. Why: the nearest texts of a question are found where the vectors lie, so that a
-- machine need not fetch all of them first. Each row has the vector of `vector` with components of 16 bits, half of
-- the size; the type `halfvec` is one of the extension pgvector, in whatever schema that was made. The table is derived
-- from `vector` and empty at first: `ken` fills it, and makes an index for each model that is in use. Never edited once
-- released; a test holds its hash.
DO $$
DECLARE place text;
BEGIN
    SELECT quote_ident(nspname) INTO STRICT place FROM pg_extension
        JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector';
    EXECUTE format('CREATE TABLE kenning.half_vector (
        model_id bigint NOT NULL,
        text_hash bytea NOT NULL,
        half %s.halfvec NOT NULL,
        PRIMARY KEY (model_id, text_hash),
        FOREIGN KEY (model_id, text_hash) REFERENCES kenning.vector (model_id, text_hash) ON DELETE CASCADE)', place);
END $$;
