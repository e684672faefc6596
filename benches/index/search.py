"""Times cold searches: one process a question, wall time and what the process says.

    KEN_HOME=... python3 benches/index/search.py KEN [ROUNDS]

Asks the titles of the indexed items, which are questions of the length that people type.
"""

import json
import random
import subprocess
import sys
import time


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main(ken, rounds):
    lines = subprocess.run([ken, "export"], capture_output=True, text=True, check=True).stdout.splitlines()
    titles = {json.loads(line).get("item", {}).get("title", "").split(" > ")[-1] for line in lines}
    titles = sorted(title for title in titles if 15 <= len(title) <= 60)
    random.Random(7).shuffle(titles)
    walls, tooks = [], []
    for title in titles[: rounds + 3]:
        start = time.perf_counter()
        out = subprocess.run([ken, "search", "--json", "--dry-run", title], capture_output=True, text=True)
        walls.append((time.perf_counter() - start) * 1e3)
        tooks.append(json.loads(out.stdout)["took_ms"])
    for name, values in (("wall", walls[3:]), ("took_ms", tooks[3:])):
        print(f"{name}: p50 {percentile(values, 0.5):.0f} ms, p95 {percentile(values, 0.95):.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60)
