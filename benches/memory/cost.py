#!/usr/bin/env python3
"""What memories cost: remembering, looking up, packing and replaying with 100,000 of them, beside none.

usage: cost.py KEN [--memories N] [--rounds R]

KEN is a release build. Homes without a model are made below a temporary folder; a model's time comes on top. Each time
is the median of R cold processes, with and without memories in turns. Standard library only.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time


def events(count):
    """An export with so many memories: facts about services of a global scope."""
    yield {"type": "kenning", "format": 1, "exported_at": 0}
    for at in range(count):
        change = {"name": "observed", "kind": "fact", "scope": "global", "authority": "personal", "source": "said"}
        text = f"Service number {at} answers within {at % 97} ms when queue {at % 31} is empty"
        words = {"text": text, "service": f"service{at}"}
        yield {
            "type": "memory",
            "event": {"number": at + 1, "at": 1_000 + at, "memory": f"memory/{at:012x}", "session": f"s{at % 50}",
                      "author": "person", "change": change, "words": words},
        }
    yield {"type": "end", "records": count}


def run(ken, home, arguments, text=b""):
    environment = {"PATH": os.environ["PATH"], "KEN_HOME": home, "HOME": home}
    began = time.perf_counter()
    ran = subprocess.run([ken, *arguments], input=text, env=environment, cwd=home, capture_output=True)
    return (time.perf_counter() - began) * 1000, ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ken")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    ken = os.path.abspath(given.ken)
    with tempfile.TemporaryDirectory() as without, tempfile.TemporaryDirectory() as with_memories:
        lines = "".join(json.dumps(record) + "\n" for record in events(given.memories)).encode()
        took, ran = run(ken, with_memories, ["import", "-"], lines)
        assert ran.returncode == 0, ran
        print(f"import of {given.memories} memories: {took / 1000:.1f} s")
        # One each, so that both have a database.
        for home in (without, with_memories):
            run(ken, home, ["remember", "--author", "person", "the first"])
        calls = {
            "remember": lambda at: ["remember", "--author", "person", f"what number {at} came to be known"],
            "lookup, exact": lambda at: ["lookup", "fatal: refusing to merge unrelated histories"],
            "lookup, unknown": lambda at: ["lookup", f"error: frobnicator {at} is out of order"],
            "pack": lambda at: ["pack", "--task", "write a poem about queues", "--budget", "2000"],
        }
        for name, call in calls.items():
            times = {without: [], with_memories: []}
            for at in range(given.rounds):
                for home in times:
                    times[home].append(run(ken, home, call(at))[0])
            a, b = (statistics.median(times[home]) for home in (without, with_memories))
            print(f"{name}: {a:.1f} ms without, {b:.1f} ms with {given.memories}, {b - a:+.1f} ms")
        took, ran = run(ken, with_memories, ["memory", "replay", "--check"])
        print(f"replay and comparison: {took / 1000:.2f} s ({ran.stdout.decode().strip()})")


main()
