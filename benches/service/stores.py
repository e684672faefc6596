#!/usr/bin/env python3
"""Whether a shared store answers as a file does: the same questions to both, and the first ten compared.

    KEN_HOME=... benches/service/stores.py target/release/ken ADDRESS SET... [--questions 200] [--whole]

KEN_HOME is a home with models, ADDRESS an empty database in PostgreSQL, SET a folder in the layout of BEIR. The texts
of all sets are put in as items, a scope for each set. Prints for each set the share of questions whose first ten are
the same, both nDCG@10, and the median time of a question: first with the usual recall of the index, then with every
vector compared. Questions search in the scope of their set, or with --whole in all sets together. Also prints how many
searches of PostgreSQL used the index of vectors (psql must be installed): a narrow scope is searched without it.
"""

import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from crash import Program, Service, Truth

AT_ONCE = 100


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def judged(folder):
    out = {}
    with open(folder / "qrels" / "test.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            out.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    return out


def ndcg(ids, relevant):
    gain = sum((2 ** relevant.get(one, 0) - 1) / math.log2(at + 2) for at, one in enumerate(ids[:10]))
    best = sorted(relevant.values(), reverse=True)[:10]
    ideal = sum((2 ** grade - 1) / math.log2(at + 2) for at, grade in enumerate(best))
    return gain / ideal if ideal else 0.0


def target(folder, recall):
    (folder / "home" / "config.toml").write_text(f"[index]\nrecall_target = {recall}\n")


def started(ken, folder, store):
    (folder / "home").mkdir(parents=True, mode=0o700)
    (folder / "docs").mkdir()
    for shared in ("models", "vectors"):
        (folder / "home" / shared).symlink_to(Path(os.environ["KEN_HOME"], shared))
    os.environ.pop("KEN_STORE_URL", None)
    if store:
        os.environ["KEN_STORE_URL"] = store
    service = Service(ken, folder)
    service.start()
    return service


def stop(service):
    service.process.terminate()
    service.process.wait()


def index_scans(store):
    sql = "SELECT coalesce(sum(idx_scan), 0) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'half_vector_hnsw%'"
    # Servers report what they counted a moment later.
    time.sleep(2)
    return int(subprocess.run(["psql", store, "-Atc", sql], check=True, capture_output=True, text=True).stdout)


def compare(folder, services, most, whole):
    """Asks both services the questions of a set, and prints how their answers compare."""
    qrels = judged(folder)
    questions = [one for one in lines(folder / "queries.jsonl") if one["_id"] in qrels][:most]
    same, gains, times = 0, {name: [] for name in services}, {name: [] for name in services}
    for question in questions:
        found = {}
        for name, service in services.items():
            body = {"query": question["text"], "limit": 10, "min_relevance": 0, "dry_run": True}
            if not whole:
                body |= {"scopes": [folder.name], "kinds": ["chunk"]}
            asker, begun = Program(0, service, Truth()), time.monotonic()
            status, answer = asker.ask("POST", "/v1/search", body)
            times[name].append(time.monotonic() - begun)
            if status != 200:
                raise SystemExit(f"{name}: {status} {answer[:300]}")
            hits = [hit for result in json.loads(answer)["results"] for hit in result["hits"]]
            # Without a kind, entries of packs are found too.
            found[name] = [hit.get("item", hit).get("id") for hit in hits]
            gains[name].append(ndcg(found[name], qrels[question["_id"]]))
        same += found["file"] == found["shared"]
    each = ", ".join(f"{name} nDCG@10 {statistics.mean(gains[name]):.4f} in "
                     f"{statistics.median(times[name]) * 1e3:.1f} ms" for name in services)
    print(f"{folder.name}: {same} of {len(questions)} have the same first ten; {each}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ken")
    parser.add_argument("store")
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    ken = str(Path(options.ken).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        services = {
            name: started(ken, Path(scratch, name), store)
            for name, store in (("file", None), ("shared", options.store))
        }
        for folder in options.sets:
            corpus = lines(folder / "corpus.jsonl")
            items = [{"id": one["_id"], "title": one.get("title", "")[:200], "text": one["text"], "scope": folder.name}
                     for one in corpus if one["text"].strip()]
            for name, service in services.items():
                asker, begun = Program(0, service, Truth()), time.monotonic()
                for at in range(0, len(items), AT_ONCE):
                    while True:
                        try:
                            status, body = asker.ask("PUT", "/v1/items", {"items": items[at:at + AT_ONCE]})
                        except OSError:
                            # Too slow for this client. What was put in meanwhile is there.
                            continue
                        if status == 200:
                            break
                        if status not in (429, 503):
                            raise SystemExit(f"{name}: {status} {body[:300]}")
                        time.sleep(0.2)
                print(f"{folder.name}, {name}: {len(items)} items in {time.monotonic() - begun:.1f} s", flush=True)
        for recall in (0.99, 1):
            for name, service in services.items():
                stop(service)
                target(Path(scratch, name), recall)
                service.start()
            print(f"index.recall_target = {recall}", flush=True)
            before = index_scans(options.store)
            for folder in options.sets:
                compare(folder, services, options.questions, options.whole)
            print(f"{index_scans(options.store) - before} searches used the index of vectors", flush=True)
        for service in services.values():
            stop(service)


if __name__ == "__main__":
    main()
