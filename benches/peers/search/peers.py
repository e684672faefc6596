"""Kenning's hybrid search beside peer.py on the same sets, in alternating turns: questions a second and nDCG@10.

Usage: peers.py KEN SET_DIR... [--rounds 5] [--threads 2] [--laps 1] [--plain] [--group-by group] [--python PYTHON] [--out FILE]
KEN is the built program, whose home (KEN_HOME) holds bge-small-en-v1.5-int8. PYTHON is that of setup.sh. Each turn is a
process of its own that stays until every question of a set is asked, one after another: `ken bench run --run hybrid`, or
peer.py. Both embed the question, take 100 candidates of each kind, and rank 100 documents. A first turn of each, which makes
the index and the documents' vectors, does not count; the order of the two changes from round to round. --group-by counts
for the sets whose documents have that field: a question is searched for among the documents of its own group.

Prints a JSON object a turn, then one a set with medians, the ratios of the rounds (ours over theirs: more than 1 is
faster for questions a second) and both nDCG@10. Theirs is also measured by `ken bench run --ranking`: `peer_ndcg@10_by_ken`.
"holds" says whether ken has --ratio times the questions a second at an nDCG@10 no lower.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("KEN_PEERS", os.path.expanduser("~/.cache/ken-peers"))
KEPT = ("queries_per_s", "p50_ms", "p95_ms", "ndcg@10")


def last_object(command, **extra):
    out = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **extra})
    if out.returncode:
        sys.exit(f"{' '.join(command)}: {out.stderr}")
    return json.loads(out.stdout.strip().splitlines()[-1])


def grouping(folder, field):
    """The option for a set that has this field."""
    with open(f"{folder}/corpus.jsonl", encoding="utf-8-sig") as file:
        has_field = bool(field) and field in (json.loads(file.readline()).get("metadata") or {})
    return ["--group-by", field] if has_field else []


def ours(args, folder):
    command = [args.ken, "bench", "run", folder, "--run", "hybrid", "--stages", "--json", *grouping(folder, args.group_by)]
    line = last_object(command, KEN_THREADS=str(args.threads))
    times = line["latency_ms"]
    stages = {name: one["p50"] for name, one in times["stages"].items()}
    return {"queries_per_s": line["queries_per_s"], "p50_ms": times["p50"], "p95_ms": times["p95"],
            "ndcg@10": line["metrics"]["ndcg@10"], "stages_p50_ms": stages}


def theirs(args, folder, *more):
    command = [args.python, f"{HERE}/peer.py", folder, "--threads", str(args.threads), "--laps", str(args.laps)]
    command += grouping(folder, args.group_by) + (["--plain"] if args.plain else [])
    line = last_object([*command, *more])
    return {**{name: line[name] for name in KEPT}, "mean_ms": line["mean_ms"]}


def judged_by_ken(args, folder, trec):
    """What Kenning's own metrics say of the peer's ranking."""
    name = os.path.basename(os.path.realpath(folder))
    command = [args.ken, "bench", "run", folder, "--ranking", f"{trec}/{name}.peer.trec", "--json"]
    return last_object(command + grouping(folder, args.group_by))["metrics"]["ndcg@10"]


def compare(args, folder):
    name = os.path.basename(os.path.realpath(folder))
    with tempfile.TemporaryDirectory() as trec:
        ours(args, folder)
        theirs(args, folder, "--trec", trec)
        judged = judged_by_ken(args, folder, trec)
    turns = {"ken": [], "peer": []}
    for number in range(args.rounds):
        for engine in sorted(turns, reverse=number % 2 == 1):
            line = (ours if engine == "ken" else theirs)(args, folder)
            turns[engine].append(line)
            print(json.dumps({"round": number, "set": name, "engine": engine, **line}), flush=True)
    median = lambda lines, what: round(statistics.median(line[what] for line in lines), 4)
    middle = {engine: {what: median(lines, what) for what in KEPT} for engine, lines in turns.items()}
    ratio = lambda what: statistics.median(a[what] / b[what] for a, b in zip(turns["ken"], turns["peer"]))
    ratios = {what: round(ratio(what), 2) for what in ("queries_per_s", "p50_ms", "p95_ms")}
    is_right = middle["ken"]["ndcg@10"] >= max(middle["peer"]["ndcg@10"], judged)
    return {"set": name, "rounds": args.rounds, **middle, "peer_ndcg@10_by_ken": judged, "ratios": ratios,
            "holds": is_right and ratios["queries_per_s"] >= args.ratio}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ken")
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--laps", type=int, default=1)
    parser.add_argument("--ratio", type=float, default=3.0)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--group-by")
    parser.add_argument("--python", default=ROOT + "/venv/bin/python")
    parser.add_argument("--out")
    args = parser.parse_args()
    results = [compare(args, folder) for folder in args.sets]
    text = "".join(json.dumps(result) + "\n" for result in results)
    print(text, end="")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(text)


main()
