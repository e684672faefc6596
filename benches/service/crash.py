#!/usr/bin/env python3
"""Kills a service again and again while programs read, put, delete and index, and looks whether anything is lost.

    KEN_HOME=... benches/service/crash.py target/release/ken [--seconds 600] [--every 20]

KEN_HOME is a home with models; the service has one of its own. KEN_STORE_URL may name an empty database in PostgreSQL,
which the service uses then. Programs put and delete items, remember and forget, keep outcomes, and search. Every write
that was acknowledged must be there afterwards, nothing whose deletion was acknowledged may return, in the list and in
searches meanwhile, and the service must be ready soon after each start. Writes without an answer may have happened or
not. Prints how many there were, and exits with 1 at the first loss.
"""

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

WORDS = "amber bridge candle dune ember fjord glacier harbour island jetty kettle lantern meadow north orchard".split()


class Truth:
    """What must be so: a text for each id, None where it must be gone, and nothing where nobody can know."""

    def __init__(self):
        self.lock, self.known, self.acknowledged = threading.Lock(), {}, 0
        # The last text of each id that was put, and of each whose deletion was acknowledged since, by program.
        self.texts, self.deleted = {}, {}
        # Searches for what was deleted, and what they found nevertheless.
        self.searched, self.lost = 0, []
        # Whether each memory must be there, or must not.
        self.memories = {}
        # Runs of tools that were sent, and those that were acknowledged.
        self.runs_sent, self.runs_kept = 0, 0

    def summary(self):
        return f"{sum(self.memories.values())} memories, {self.runs_kept} runs of tools"

    def check(self):
        if self.lost:
            sys.exit(f"LOST: {self.lost[0]}")


class Program(threading.Thread):
    """One of several that put and delete ids of their own, search, and index."""

    def __init__(self, number, service, truth, others=()):
        super().__init__(daemon=True)
        self.number, self.service, self.truth = number, service, truth
        # Services that must know as much.
        self.all = [service, *others]
        self.random, self.running = random.Random(number), True
        self.texts, self.deleted = (those.setdefault(number, {}) for those in (truth.texts, truth.deleted))
        # Memories that this program may forget.
        self.own = []

    def ask(self, method, path, body=None, service=None):
        service = service or self.service
        connection = http.client.HTTPConnection(*service.address, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {service.token}", "Content-Type": "application/json"}
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def run(self):
        while self.running:
            try:
                self.step()
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)

    def step(self):
        choice = self.random.random()
        if choice < 0.5:
            self.put()
        elif choice < 0.65:
            self.delete()
        elif choice < 0.67 and self.number == 0:
            self.ask("POST", "/v1/index", {"paths": [self.service.docs]})
        elif choice < 0.77 and self.deleted:
            self.search_deleted()
        elif choice < 0.82:
            self.remember()
        elif choice < 0.84:
            self.forget()
        elif choice < 0.88:
            self.keep_outcomes()
        else:
            self.ask("POST", "/v1/search", {"query": " ".join(self.random.sample(WORDS, 3)), "dry_run": True})

    def put(self):
        ids = [f"{self.number}-{self.random.randrange(300)}" for _ in range(self.random.randrange(1, 6))]
        items = [{"id": one, "text": " ".join(self.random.choices(WORDS, k=12)), "scope": "load"} for one in set(ids)]
        with self.truth.lock:
            for item in items:
                self.truth.known.pop(item["id"], None)
        for item in items:
            self.deleted.pop(item["id"], None)
            self.texts[item["id"]] = item["text"]
        status, _ = self.ask("PUT", "/v1/items", {"items": items})
        if status == 200:
            with self.truth.lock:
                self.truth.acknowledged += 1
                self.truth.known.update((item["id"], item["text"]) for item in items)

    def delete(self):
        one = f"{self.number}-{self.random.randrange(300)}"
        with self.truth.lock:
            self.truth.known.pop(one, None)
        status, _ = self.ask("DELETE", f"/v1/items/{one}?scope=load")
        if status in (200, 404):
            with self.truth.lock:
                self.truth.acknowledged += 1
                self.truth.known[one] = None
            if one in self.texts:
                self.deleted[one] = self.texts[one]

    def remember(self):
        # The generator of this program begins anew in each round, and a repeated text would only reinforce a memory.
        text = f"note {random.randrange(10 ** 9)}: {' '.join(random.choices(WORDS, k=12))}"
        status, answer = self.ask("POST", "/v1/memories", {"text": text, "session": f"program {self.number}"})
        if status == 200:
            told = json.loads(answer)
            with self.truth.lock:
                self.truth.acknowledged += 1
                if told["change"] == "added":
                    self.truth.memories[told["memory"]["id"]] = True
                    self.own.append(told["memory"]["id"])

    def forget(self):
        if not self.own:
            return
        one = self.own.pop(self.random.randrange(len(self.own)))
        with self.truth.lock:
            self.truth.memories.pop(one, None)
        status, _ = self.ask("DELETE", f"/v1/memories/{one.removeprefix('memory/')}")
        with self.truth.lock:
            if status == 200:
                self.truth.acknowledged += 1
                self.truth.memories[one] = False
            elif status == 404:
                self.truth.lost.append(f"the memory {one} was kept and is not found")

    def keep_outcomes(self):
        run = {"tool": "bash", "session": f"program {self.number}", "input": f"make {self.random.choice(WORDS)}"}
        runs = [{**run, "error": f"{self.random.choice(WORDS)} is missing"}, {**run, "ok": True}]
        with self.truth.lock:
            self.truth.runs_sent += len(runs)
        status, _ = self.ask("POST", "/v1/outcomes", {"outcomes": runs})
        if status == 200:
            with self.truth.lock:
                self.truth.acknowledged += 1
                self.truth.runs_kept += len(runs)

    def search_deleted(self):
        """Looks for an id by its last text: no service may find what was deleted."""
        one, text = self.random.choice(list(self.deleted.items()))
        body = {"query": text, "limit": 50, "min_relevance": 0, "dry_run": True}
        status, answer = self.ask("POST", "/v1/search", body, self.random.choice(self.all))
        if status != 200:
            return
        hits = [hit for result in json.loads(answer)["results"] for hit in result["hits"]]
        with self.truth.lock:
            self.truth.searched += 1
            if any((hit.get("item") or {}).get("id") == one for hit in hits):
                self.truth.lost.append(f"{one} was deleted and is found")


class Service:
    """A service that can be killed and started again at the same port."""

    def __init__(self, ken, folder):
        self.ken, self.folder = ken, folder
        self.docs = str(folder / "docs")
        self.variables = {**os.environ, "KEN_HOME": str(folder / "home")}
        subprocess.run([ken, "config", "set", "serve.folders", self.docs], env=self.variables, check=True,
                       capture_output=True)
        self.address, self.process, self.slowest = ("127.0.0.1", 0), None, 0.0

    def start(self):
        begun = time.monotonic()
        host, port = self.address
        self.process = subprocess.Popen([self.ken, "serve", "--listen", f"{host}:{port}"], cwd=self.folder, text=True,
                                        env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.address = (host, int(self.process.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1]))
        self.token = (self.folder / "home" / "token").read_text().strip()
        while True:
            try:
                connection = http.client.HTTPConnection(*self.address, timeout=5)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    break
            except OSError:
                time.sleep(0.002)
        self.slowest = max(self.slowest, time.monotonic() - begun)

    def kill(self):
        self.process.kill()
        self.process.wait()


def listed(program, path, name):
    """All pages of a list."""
    after = None
    while True:
        status, body = program.ask("GET", path + (f"&after={after}" if after else ""))
        if status != 200:
            sys.exit(f"LOST: the list is refused: {status} {body[:300]}")
        page = json.loads(body)
        yield from page[name]
        after = page["next"]
        if not after:
            return


def compare(program, truth):
    """Compares what the service lists with what must be there, for ids that nobody is writing meanwhile."""
    there = {item["id"]: item["text"] for item in listed(program, "/v1/items?scope=load&limit=1000", "items")}
    for one, text in truth.known.items():
        if there.get(one) != text:
            sys.exit(f"LOST: {one} should be {text!r} and is {there.get(one)!r}")
    memories = {memory["id"] for memory in listed(program, "/v1/memories?limit=100", "memories")}
    for one, is_there in truth.memories.items():
        if (one in memories) != is_there:
            sys.exit(f"LOST: the memory {one} should {'' if is_there else 'not '}be there")
    status, body = program.ask("GET", "/v1/outcomes")
    if status != 200:
        sys.exit(f"LOST: the runs of tools are refused: {status} {body[:300]}")
    kept = json.loads(body)["kept"]["rows"]
    if not truth.runs_kept <= kept <= truth.runs_sent:
        sys.exit(f"LOST: {kept} runs of tools are kept, {truth.runs_kept} acknowledged, {truth.runs_sent} sent")
    return len(there)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ken")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--every", type=float, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "home").mkdir(mode=0o700)
        (folder / "docs").mkdir()
        for number in range(40):
            (folder / "docs" / f"{number}.md").write_text(f"# Note {number}\n\n" + " ".join(WORDS[number % 9:]) + ".\n")
        for shared in ("models", "vectors"):
            (folder / "home" / shared).symlink_to(Path(os.environ["KEN_HOME"], shared))
        truth, service = Truth(), Service(str(Path(options.ken).resolve()), folder)
        service.start()
        end, kills, changes = time.monotonic() + options.seconds, 0, 0
        while time.monotonic() < end:
            programs = [Program(number, service, truth) for number in range(4)]
            for program in programs:
                program.start()
            time.sleep(options.every * random.uniform(0.5, 1.0))
            if kills % 5 == 4:
                # The model is changed by another process while the service runs.
                model = ("bge-small-en-v1.5-int8", "all-MiniLM-L6-v2")[changes % 2 == 0]
                command = [service.ken, "model", "use", model]
                changed = subprocess.run(command, env=service.variables, capture_output=True)
                changes += changed.returncode == 0
            for program in programs:
                program.running = False
            service.kill()
            kills += 1
            for program in programs:
                program.join()
            truth.check()
            service.start()
            count = compare(Program(9, service, truth), truth)
            (folder / "docs" / f"{random.randrange(40)}.md").write_text(f"# Note\n\n{random.choice(WORDS)}\n")
        service.process.send_signal(signal.SIGTERM)
        doctor = subprocess.run([service.ken, "doctor"], env=service.variables, capture_output=True, text=True)
        print(f"{kills} kills, {changes} changes of the model, {truth.acknowledged} writes acknowledged, "
              f"{truth.searched} searches for deleted items, {truth.summary()}, {count} items, "
              f"slowest start {service.slowest * 1e3:.0f} ms, doctor exits with {doctor.returncode}")
        sys.exit(doctor.returncode)


if __name__ == "__main__":
    main()
