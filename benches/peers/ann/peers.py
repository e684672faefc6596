"""Kenning's vector index beside hnswlib, usearch, faiss and NumPy, on the same vectors, in alternating turns.

Usage: peers.py KEN BASE.f32 QUERIES.f32 [--dim 384] [--rounds 3] [--libs hnswlib,usearch,faiss] [--peers ann.py] [--recalls 0.98,0.99]
The files are little-endian f32 rows of length 1. Each turn is a process of its own: `ken bench ann`, then PEERS, a script that
prints one JSON object a library and ef with recall_at_10, qps (one thread, one query a call) and build_s. For each recall the
queries a second there are read off the line between the two widths around it, in log scale; medians over the rounds, and
ratios within a round. NumPy's is a matrix times one query, on one thread.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time


def at_recall(points, recall):
    """Queries a second at this recall, between the two measured widths around it; None if none reaches it."""
    points = sorted(points)
    above = [point for point in points if point[0] >= recall]
    if not above:
        return None
    high = max(above, key=lambda point: point[1])
    below = [point for point in points if point[0] < recall]
    if not below:
        return high[1]
    low = max(below)
    share = (recall - low[0]) / (high[0] - low[0])
    return math.exp(math.log(low[1]) + share * (math.log(high[1]) - math.log(low[1])))


def ours(args):
    command = [args.ken, "bench", "ann", "--vectors", args.base, "--queries", args.queries, "--dim", str(args.dim)]
    line = json.loads(subprocess.run([*command, "--recall", "0.9", "--json"], check=True, capture_output=True).stdout)
    points = [(one["recall"], one["qps"]) for one in line["widths"]]
    return points, line["build_s"], line["exact_1"]


def theirs(args, lib):
    command = [sys.executable, args.peers, args.base, args.queries, "--dim", str(args.dim), "--libs", lib]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row["recall_at_10"], row["qps"]) for row in rows], rows[0]["build_s"]


NUMPY = """
import numpy as np, sys, time
base, queries = (np.fromfile(path, np.float32).reshape(-1, int(sys.argv[3])) for path in sys.argv[1:3])
start = time.perf_counter()
for query in queries[:200]:
    near = base @ query
    np.argpartition(-near, 10)[:10]
print(200 / (time.perf_counter() - start))
"""


def numpy_scan(args):
    one = {**os.environ, **dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")}
    command = [sys.executable, "-c", NUMPY, args.base, args.queries, str(args.dim)]
    return float(subprocess.run(command, check=True, capture_output=True, env=one).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("ken", "base", "queries"):
        parser.add_argument(name)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--libs", default="hnswlib,usearch,faiss")
    parser.add_argument("--peers", default="../shared/peers/ann.py")
    parser.add_argument("--recalls", default="0.98,0.99")
    args = parser.parse_args()
    recalls = [float(recall) for recall in args.recalls.split(",")]
    libs = args.libs.split(",")
    builds, found, ratios, scans = {}, {}, {}, []
    for turn in range(args.rounds):
        points, build, exact = ours(args)
        builds.setdefault("ken", []).append(build)
        own = {recall: at_recall(points, recall) for recall in recalls}
        for recall in recalls:
            found.setdefault(("ken", recall), []).append(own[recall])
        scans.append((exact["qps"], numpy_scan(args), exact["recall"]))
        for lib in libs:
            points, build = theirs(args, lib)
            builds.setdefault(lib, []).append(build)
            for recall in recalls:
                their = at_recall(points, recall)
                found.setdefault((lib, recall), []).append(their)
                if own[recall] and their:
                    ratios.setdefault((lib, recall), []).append(own[recall] / their)
        print(f"round {turn + 1} of {args.rounds}", file=sys.stderr)
    print(f"{'':10} {'build s':>8}" + "".join(f"{f'q/s at {recall}':>14} {'ratio':>6}" for recall in recalls))
    for lib in ["ken", *libs]:
        row = f"{lib:10} {statistics.median(builds[lib]):8.1f}"
        for recall in recalls:
            values = [value for value in found[lib, recall] if value]
            ratio = ratios.get((lib, recall))
            row += f"{statistics.median(values):14.0f}" if values else f"{'-':>14}"
            row += f" {statistics.median(ratio):6.2f}" if ratio else f"{'':7}"
        print(row)
    ken, numpy, recall = (statistics.median(column) for column in zip(*scans))
    both = statistics.median(a / b for a, b, _ in scans)
    print(f"comparing everything on one thread: ken {ken:.0f} q/s (recall {recall}), NumPy {numpy:.0f}, ratio {both:.2f}")


main()
