"""Noise and coverage of the gate that each set's index fits for itself, without labels, over many sets.

    python3 benches/eval/gate_table.py KEN HOME OUT SET...

HOME is a KEN_HOME with a model, OUT a folder for sets and reports. SET is a folder in the layout of BEIR. SET=FAMILY
groups sets about the same subject. Foreign questions are 300 of the sets of other families, in equal parts. Near
questions are at most 300 of the set's own unanswerable.jsonl. Both are always the same.

Prints for each set: nDCG@10; the noise of foreign questions with its 95 % interval (Wilson); coverage; the coverage of
the best single gate for these labels at the same noise budget; our share of that; the noise of near questions.
"""

import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys

MOST = 300
BUDGET = 0.03


def lines(path):
    return [json.loads(line) for line in path.open()] if path.exists() else []


def some(rows, salt, most=MOST):
    key = lambda row: hashlib.sha256(f"{salt} {row['_id']} {row['text']}".encode()).hexdigest()
    return sorted(rows, key=key)[:most]


def wilson(part, whole, z=1.96):
    share, over = part / whole, 1 + z * z / whole
    middle = (share + z * z / (2 * whole)) / over
    half = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)) / over
    return middle - half, middle + half


def make(source, family, others, folder):
    """The set with foreign questions beside its own unanswerable ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("corpus.jsonl", "qrels"):
        link = folder / name
        if not link.exists():
            link.symlink_to((source / name).resolve())
    queries = lines(source / "queries.jsonl")
    judged = {line.split("\t")[0] for line in (source / "qrels/test.tsv").open()}
    kept = [row for row in queries if row["_id"] in judged]
    near = [{**row, "_id": f"near/{row['_id']}"} for row in some(lines(source / "unanswerable.jsonl"), "near")]
    strange = [(path.name, row) for path, kin in others if kin != family for row in lines(path / "queries.jsonl")]
    names = sorted({name for name, _ in strange})
    each = -(-MOST // len(names))
    taken = [{"_id": f"foreign/{name}/{row['_id']}", "text": row["text"]} for name in names
             for row in some([row for one, row in strange if one == name], source.name, each)]
    write = lambda name, rows: (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    write("queries.jsonl", kept)
    write("unanswerable.jsonl", near + some(taken, source.name))


def figures(report):
    asked = [query for query in report["queries"] if query["answerable"]]
    foreign = [query for query in report["queries"] if query["id"].startswith("foreign/")]
    near = [query for query in report["queries"] if query["id"].startswith("near/")]
    share = lambda rows, shown: sum(map(shown, rows)) / len(rows) if rows else math.nan
    shown = lambda query: query["shown"] > 0
    noisy = sum(map(shown, foreign))
    bests = sorted((query["best"] for query in foreign), reverse=True)
    silent = bests[int(BUDGET * len(bests))]
    allowed = share(asked, lambda query: query["best"] > silent)
    covered = share(asked, shown)
    low, high = wilson(noisy, len(foreign))
    ndcg = report["metrics"].index("ndcg@10")
    mean = sum(query["values"][ndcg] for query in asked) / len(asked)
    return {"ndcg": mean, "noise": noisy / len(foreign), "low": low, "high": high,
            "cover": covered, "allowed": allowed, "of": covered / allowed if allowed else math.nan,
            "near": share(near, shown)}


def main():
    ken, home, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    sets = [(pathlib.Path(path), family or path) for path, _, family in (one.partition("=") for one in sys.argv[4:])]
    print(f"{'set':20} ndcg@10  noise (95 %)         cover  labels  share   near")
    for source, family in sets:
        folder = out / "sets" / source.name
        report = out / f"{source.name}.hybrid.json"
        if not report.exists():
            make(source, family, sets, folder)
            done = subprocess.run([ken, "bench", "run", "-q", folder, "--run", "hybrid", "--binary", "--out", out],
                                  env={**os.environ, "KEN_HOME": home}, capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
        f = figures(json.loads(report.read_text()))
        noise = f"{f['noise']:.3f} ({f['low']:.3f}-{f['high']:.3f})"
        print(f"{source.name:20}  {f['ndcg']:.4f}  {noise}  {f['cover']:.3f}  "
              f"{f['allowed']:.3f}   {f['of']:.3f}   {f['near']:.3f}", flush=True)


if __name__ == "__main__":
    main()
