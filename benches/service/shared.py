#!/usr/bin/env python3
"""Four services on one database in PostgreSQL, killed again and again, and so is its server.

    KEN_HOME=... benches/service/shared.py target/release/ken BIN [--seconds 600] [--every 15]

KEN_HOME is a home with models; each service has one of its own. BIN is the folder of the server's programs; it runs as
the user `nobody` if this runs as root. Programs put and delete items, remember and forget, keep outcomes, and search,
through all services. Every round ends with one trouble: a service is killed, two are, connections are cut, the server
is stopped at once, or its first process gets `kill -9`; a server that has ended is started again. Every write that was
acknowledged must be there, nothing whose deletion was acknowledged may return, in lists and in searches, also while
programs write, and all services must agree. All services have the same folder, so each may do the jobs of the others:
at the end every job must have ended, and none twice. Prints how many there were, and exits with 1 at the first loss.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crash import WORDS, Program, Service, Truth, compare

SERVICES = 4
# Notes each end of a job.
ENDS = """
    CREATE TABLE public.ended (id bigint NOT NULL, attempts integer NOT NULL);
    CREATE FUNCTION public.note_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.ended VALUES (NEW.id, NEW.attempts); RETURN NULL; END $$;
    CREATE TRIGGER note_end AFTER UPDATE ON kenning.job FOR EACH ROW
        WHEN (NEW.phase = 'over') EXECUTE FUNCTION public.note_end();
"""


class Server:
    """A server of PostgreSQL that can be stopped at once and started again."""

    def __init__(self, programs, folder, port):
        self.programs, self.folder, self.port = programs, folder, port
        self.address = f"postgres://postgres@127.0.0.1:{port}/kenning"
        folder.mkdir()
        if os.getuid() == 0:
            os.chown(folder, 65534, 65534)
            os.chmod(folder.parent, 0o755)
        self.run("initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        self.start()
        self.psql("postgres", "CREATE DATABASE kenning")

    def run(self, program, *options):
        own = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        command = [str(self.programs / program), *options]
        return subprocess.run(command, cwd=self.folder, env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, **own)

    def start(self):
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self.run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")

    def crash(self):
        """As a failover: the server goes without a word, and one with the same data comes."""
        self.run("pg_ctl", "-D", "data", "-m", "immediate", "stop")
        time.sleep(random.uniform(0.2, 2))
        self.start()

    def kill(self):
        """Its first process has no time to end the others. No new one starts before these have noticed."""
        os.kill(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        until = time.monotonic() + 60
        while True:
            try:
                return self.start()
            except subprocess.CalledProcessError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def psql(self, database, sql):
        command = [self.programs / "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database,
                   "-At", "-v", "ON_ERROR_STOP=1", "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def cut(self):
        self.psql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'kenning'")


def service(ken, folder, docs, server):
    (folder / "home").mkdir(parents=True, mode=0o700)
    # Each knows the folder by a link of its own, and all by where that leads.
    (folder / "docs").symlink_to(docs)
    for shared in ("models", "vectors"):
        (folder / "home" / shared).symlink_to(Path(os.environ["KEN_HOME"], shared))
    os.environ["KEN_STORE_URL"] = server.address
    made = Service(ken, folder)
    made.start()
    return made


def searched(services, truth):
    """Nothing that must be gone is found, by any service."""
    gone = {text for text, in zip([one for one, text in truth.known.items() if text is None][:20])}
    for each in services:
        asker = Program(98, each, truth)
        for words in range(3):
            body = {"query": " ".join(WORDS[words * 3:words * 3 + 3]), "limit": 50, "min_relevance": 0, "dry_run": True}
            status, answer = asker.ask("POST", "/v1/search", body)
            if status != 200:
                sys.exit(f"LOST: a search is refused: {status} {answer[:300]}")
            for hit in (hit for result in json.loads(answer)["results"] for hit in result["hits"]):
                if (hit.get("item") or {}).get("id") in gone:
                    sys.exit(f"LOST: {hit['item']['id']} was deleted and is found")


def begin_jobs(services, docs, truth):
    """Changes the files, and asks each service to index them."""
    for number in range(40):
        words = " ".join(random.choices(WORDS, k=200))
        (docs / f"{number}.md").write_text(f"# Note {number}\n\n{words}.\n")
    for each in services:
        try:
            Program(97, each, truth).ask("POST", "/v1/index", {"paths": [each.docs]})
        except OSError:
            # Too slow for this client, which changes nothing.
            pass
    time.sleep(random.uniform(0, 1.5))


def jobs(server):
    """Waits for the end of all jobs; how many there were, and how many were begun more than once."""
    until = time.monotonic() + 120
    while int(server.psql("kenning", "SELECT count(*) FROM kenning.job WHERE phase <> 'over'")):
        if time.monotonic() > until:
            sys.exit("LOST: a job does not end")
        time.sleep(0.5)
    if int(server.psql("kenning", "SELECT count(*) - count(DISTINCT id) FROM ended")):
        sys.exit("LOST: a job was done twice")
    return server.psql("kenning", "SELECT count(*) || ' jobs, ' || count(*) FILTER (WHERE attempts > 1) FROM ended")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ken")
    parser.add_argument("programs", type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--every", type=float, default=15)
    options = parser.parse_args()
    ken = str(Path(options.ken).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        server = Server(options.programs, folder / "server", 5610)
        try:
            truth = Truth()
            (folder / "docs").mkdir()
            services = [service(ken, folder / str(number), folder / "docs", server) for number in range(SERVICES)]
            # The first service makes the tables when it looks for jobs.
            while server.psql("kenning", "SELECT to_regclass('kenning.job') IS NULL") == "t":
                time.sleep(0.1)
            server.psql("kenning", ENDS)
            troubles = {"a service killed": 0, "server stopped": 0, "two services killed": 0, "server killed": 0,
                        "connections cut": 0}
            end, count = time.monotonic() + options.seconds, 0
            while time.monotonic() < end:
                programs = [Program(number, services[number % SERVICES], truth, services)
                            for number in range(2 * SERVICES)]
                for program in programs:
                    program.start()
                time.sleep(options.every * random.uniform(0.5, 1.0))
                trouble = list(troubles)[sum(troubles.values()) % len(troubles)]
                troubles[trouble] += 1
                begin_jobs(services, folder / "docs", truth)
                killed = random.sample(services, {"a service killed": 1, "two services killed": 2}.get(trouble, 0))
                for one in killed:
                    one.kill()
                if trouble == "connections cut":
                    server.cut()
                elif trouble == "server stopped":
                    server.crash()
                elif trouble == "server killed":
                    server.kill()
                time.sleep(1)
                for program in programs:
                    program.running = False
                for program in programs:
                    program.join()
                truth.check()
                for one in killed:
                    one.start()
                counts = {compare(Program(99, one, truth), truth) for one in services}
                if len(counts) != 1:
                    sys.exit(f"LOST: the services count {counts} items")
                count = counts.pop()
                searched(services, truth)
            done = jobs(server)
            for one in services:
                one.process.terminate()
                one.process.wait()
            doctor = subprocess.run([ken, "doctor"], env=services[0].variables, capture_output=True, text=True)
            slowest = max(one.slowest for one in services)
            told = ", ".join(f"{many} times {what}" for what, many in troubles.items())
            print(f"{told}; {truth.acknowledged} writes acknowledged, {truth.searched} searches for deleted "
                  f"items, {truth.summary()}, {count} items, {done} of them begun again, "
                  f"slowest start {slowest * 1e3:.0f} ms, "
                  f"doctor exits with {doctor.returncode}")
            sys.exit(doctor.returncode)
        finally:
            server.run("pg_ctl", "-D", "data", "-m", "immediate", "stop")


if __name__ == "__main__":
    main()
