-- Jobs: work that a request begins and that goes on after it. Why: a request may reach one of several services, and who
-- asks how far a job is reaches another. A service may also end in the middle of a job, and then another goes on.
-- What is asked for, how far it is and what came of it are JSON. Whoever works on jobs has a number, and holds the
-- advisory lock (1262833154, that number) as long as it lives. `attempts` is how often somebody began. A job is for
-- the services of the role that added it, and for those who read all. Costs nothing: no row is read. Never edited once
-- released; a test holds its hash.
CREATE TABLE "job" (
    "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "phase" text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK ("phase" IN ('waiting', 'running', 'over')),
    "request" text COLLATE "C" NOT NULL,
    "state" text COLLATE "C" NOT NULL,
    "is_cancelled" boolean NOT NULL DEFAULT FALSE,
    "role" name NOT NULL DEFAULT current_user,
    "service" integer,
    "attempts" integer NOT NULL DEFAULT 0
);
CREATE INDEX "job_unfinished" ON "job" ("id") WHERE "phase" <> 'over';
ALTER TABLE "job" ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_role ON "job" USING ((SELECT kenning.reads_all()) OR "role" = current_user);
