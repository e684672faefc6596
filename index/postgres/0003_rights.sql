-- Rights. Why: the functions of triggers ran with the rights of whoever changed a row, so a user needed rights on the
-- derived tables (`corpus`, `vector_change`) too. Now they run with the rights of the schema's owner, and look names up
-- in this schema alone, so no table of another one is taken for ours. Costs nothing: no row is read.
-- `count_corpus` stays with its caller's rights, because anybody may call it; triggers call it as the owner.
-- Never edited once released; a test holds its hash.

ALTER FUNCTION kenning.items_added() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;
ALTER FUNCTION kenning.items_removed() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;
ALTER FUNCTION kenning.items_changed() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;
ALTER FUNCTION kenning.embeddings_added() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;
ALTER FUNCTION kenning.embeddings_removed() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;
ALTER FUNCTION kenning.vectors_added() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;
ALTER FUNCTION kenning.vectors_removed() SECURITY DEFINER SET search_path = pg_catalog, kenning, pg_temp;
