-- Jobs: work that continues after the request that started it. Why: requests reach one of several services, so a
-- question about a job may reach a service that does not run it. If a service ends in the middle of a job, another one
-- continues. The request, the progress and the result are JSON. A worker has a number, and holds the advisory lock
-- (1262833154, number) for as long as it lives. `attempts` counts how often the job was begun. A job is visible to the
-- role that added it and to those who read all. Costs nothing: no row is read. Never edited once released; a test holds
-- its hash.
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
