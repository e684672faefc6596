#!/usr/bin/env python3
"""Times `ken pack` over whatever KEN_HOME holds: usage: latency.py KEN [RUNS]

Each run is a process of its own, one task after another; prints p50 and p95 of wall time in milliseconds and the most
memory of one.
"""
import os, resource, statistics, subprocess, sys, time

TASKS = [
    "retry requests with exponential back-off",
    "parse command line flags with subcommands",
    "replace the thread pool by scoped threads",
    "write a property test for the UTF-8 decoder",
    "handle CRLF line endings in the tokenizer",
    "support no_std targets without alloc",
    "map a file into memory and read it as a slice",
    "hash passwords with a salt",
]


def main(ken, runs="40", *more):
    times = []
    for at in range(int(runs)):
        task = TASKS[at % len(TASKS)]
        since = time.perf_counter()
        subprocess.run([ken, "pack", "--dry-run", "-q", "--task", task, *more], stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - since) * 1000)
    times = sorted(times[len(TASKS):])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"p50 {statistics.median(times):.0f} ms, p95 {times[int(len(times) * 0.95)]:.0f} ms, {peak:.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
