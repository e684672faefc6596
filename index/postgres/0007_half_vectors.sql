-- Vectors that change in place. Why: a copy into an existing store updates rows of `vector`, but `half_vector` kept the
-- row that was made from the old bytes, so searches compared an outdated vector. Now a trigger deletes that row, and
-- `ken` makes it again, as for any vector without one. The function runs with the rights of the schema's owner, like
-- those of 0003. Costs nothing: no row is read.
-- Never edited once released; a test holds its hash.

CREATE FUNCTION kenning.half_vectors_stale() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp AS $$
BEGIN
    DELETE FROM kenning.half_vector AS half USING old_rows AS was
        WHERE half.model_id = was.model_id AND half.text_hash = was.text_hash
            AND NOT EXISTS (SELECT FROM new_rows AS has
                WHERE has.model_id = was.model_id AND has.text_hash = was.text_hash AND has.data = was.data);
    RETURN NULL;
END $$;
CREATE TRIGGER half_vector_stale AFTER UPDATE ON kenning.vector
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION kenning.half_vectors_stale();
