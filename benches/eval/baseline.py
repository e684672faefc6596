"""Cuts a result of `ken bench run --out` down to what `ken bench gate` compares: a baseline small enough to be kept.

    python3 benches/eval/own_sets.py SETS --part
    ken bench run SETS/canon-part --run hybrid --k 10 --out RESULTS
    python3 benches/eval/baseline.py RESULTS/canon-part.hybrid.json > tests/retrieval/canon-part.hybrid.json
"""

import json
import sys

KEPT = ("id", "answerable", "values", "best", "shown", "right", "first")


def cut(question):
    kept = {key: question[key] for key in KEPT}
    kept["best"] = round(kept["best"], 6)
    return {**kept, "text": "", "ms": 0.0, "top": []}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    result.update(path=f"sets/{result['set']}", stages=[], queries=[cut(question) for question in result["queries"]])
    print(json.dumps(result, separators=(",", ":")))
