-- Which call a row tells of. Why: two hooks of one agent, or an agent and the one that it works for, tell of the same
-- call, and what failed once must not count twice. The column holds a hash of the id that the agent gave the call, and
-- nothing where it gave none. Costs nothing for rows that are there; a new row with an id costs one entry of the index.
-- Never edited once released; a test holds its hash.
ALTER TABLE tool_outcome ADD COLUMN call TEXT;
CREATE UNIQUE INDEX tool_outcome_call ON tool_outcome (call) WHERE call IS NOT NULL;
