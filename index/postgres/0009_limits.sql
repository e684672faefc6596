-- Limits of a request. Why: one service can serve several teams, each with a token that names scopes, while its role
-- reads all of them. Only the filters of the service kept them apart, so a mistake in one filter would have shown the
-- rows of another team. Now a service limits its connection to the scopes of the token for as long as a request uses
-- it, by the setting `kenning.scopes`. The policies of 0006 then withhold the rows of all other scopes. The setting is
-- an array of texts: `{}` admits no scope, and an empty or missing one is no limit. It narrows what the role may see,
-- and never widens it. It protects against mistakes of a service and not against its role, which can change the
-- setting. The owner of the tables is not bound, as before. Costs nothing: no row is read.
-- Never edited once released; a test holds its hash.

CREATE OR REPLACE FUNCTION kenning.own_scopes() RETURNS SETOF text LANGUAGE sql STABLE
    SET search_path = pg_catalog, kenning, pg_temp
    AS $$
        SELECT scope FROM kenning.reader WHERE coalesce(current_setting('kenning.scopes', TRUE), '') = ''
        UNION ALL
        SELECT admitted FROM unnest(CAST(nullif(current_setting('kenning.scopes', TRUE), '') AS text[])) AS admitted
            WHERE EXISTS (SELECT FROM kenning.reader WHERE scope IN ('*', admitted))
    $$;
CREATE OR REPLACE FUNCTION kenning.reads_all() RETURNS boolean LANGUAGE sql STABLE
    SET search_path = pg_catalog, kenning, pg_temp
    AS $$ SELECT NOT row_security_active('kenning.item')
        OR coalesce(current_setting('kenning.scopes', TRUE), '') = ''
            AND EXISTS (SELECT FROM kenning.reader WHERE scope = '*') $$;
