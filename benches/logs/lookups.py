#!/usr/bin/env python3
"""Look up whole logs as a user does, and compare what is answered with the lines that a person has marked.

    python3 benches/logs/lookups.py target/release/ken SET

SET holds logs.jsonl ({"id", "lines"}) and labels.jsonl ({"id", "start", "end"}; lines from 1), as for `ken bench logs`.
KEN_HOME says where packs and model lie. Prints shares of the labelled logs:

    first     the first error that is named overlaps the marked lines
    first 3   one of the first three does
    F1        of lines, between the first error and the marked ones
    answered  some error has a hit
    in block  of those: an error with a hit overlaps the marked lines
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def rows(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    logs = {str(log["id"]): "\n".join(log["lines"]) for log in rows(folder / "logs.jsonl")}
    labels = [label for label in rows(folder / "labels.jsonl") if str(label["id"]) in logs]

    def look_up(label):
        text = logs[str(label["id"])].encode("utf-8", "surrogatepass")
        ran = subprocess.run([program, "lookup", "--dry-run", "--json", "-"], input=text, capture_output=True)
        return label, json.loads(ran.stdout)["results"] if ran.returncode in (0, 1) else []

    first = first3 = f1 = answered = inside = 0
    with ThreadPoolExecutor(2) as pool:
        for label, results in pool.map(look_up, labels):
            marked = label["end"] - label["start"] + 1
            spans = [(one["error"]["line_start"], one["error"]["line_end"]) for one in results]
            common = [max(0, min(b, label["end"]) - max(a, label["start"]) + 1) for a, b in spans]
            first3 += any(common[:3])
            if common:
                first += common[0] > 0
                f1 += 2 * common[0] / (spans[0][1] - spans[0][0] + 1 + marked)
            hits = [lines for lines, one in zip(common, results) if one["hits"]]
            answered += bool(hits)
            inside += any(hits)
    share = lambda part, whole: f"{part / max(whole, 1):.3f}"
    count = len(labels)
    print(f"logs {count}  first {share(first, count)}  first 3 {share(first3, count)}  F1 {share(f1, count)}  "
          f"answered {share(answered, count)}  in block {share(inside, answered)}")


if __name__ == "__main__":
    main()
