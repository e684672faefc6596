"""Holds the figures of `ken bench run --out DIR` against trec_eval's, query by query and to four decimals.

    pip install pytrec_eval
    ken bench run SETS/* --out DIR
    python benches/eval/check.py DIR

Reads each SET.RUN.trec beside its SET.RUN.json, and the set from where the result says it lies. Exits with 1 if any value
differs.
"""

import json
import pathlib
import sys

import pytrec_eval

NAMES = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P", "success": "success"}


def judgements(folder, binary):
    out = {}
    for line in (pathlib.Path(folder) / "qrels" / "test.tsv").read_text().splitlines():
        fields = line.split()
        if fields and fields[-1] != "score":
            grade = int(fields[-1])
            out.setdefault(fields[0], {})[fields[-2]] = int(grade > 0) if binary else grade
    return out


def run(path):
    out = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        out.setdefault(query, {})[document] = float(score)
    return out


wrong = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    result = json.loads(path.read_text())
    ranking = run(path.with_suffix(".trec"))
    differ, worst = 0, 0.0
    for at, name in enumerate(result["metrics"]):
        base, _, depth = name.partition("@")
        binary = result["binary"] or base.endswith("_binary")
        base = base.removesuffix("_binary")
        theirs = f"{NAMES[base]}_{depth}" if depth else {"mrr": "recip_rank", "map": "map"}[base]
        measure = f"{NAMES[base]}.{depth}" if depth else theirs
        judged = judgements(result["path"], binary)
        found = pytrec_eval.RelevanceEvaluator(judged, {measure}).evaluate(ranking)
        for query in result["queries"]:
            if query["answerable"]:
                # trec_eval says nothing about a query that nothing was found for.
                expected = found.get(query["id"], {}).get(theirs, 0.0)
                off = abs(expected - query["values"][at])
                worst = max(worst, off)
                differ += off > 5e-5
    print(f"{path.stem:28} {len(result['queries']):6} queries, {len(result['metrics'])} metrics, {differ} differ, at most by {worst:.2e}")
    wrong += differ
sys.exit(wrong > 0)
