#!/usr/bin/env python3
"""How long an agent waits for the hook: a cold process for each report, in turns with a program that does nothing.

usage: hook.py KEN [COUNT]

KEN is a binary; the reports go into a home that is removed afterwards. Standard library only.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

WENT_WELL = {"session": "a", "tool": "bash", "input": "cargo test --release", "exit_code": 0}
FAILED = {"session": "b", "tool": "bash", "input": "make test", "exit_code": 2,
          "error": "make: jq: No such file or directory\nmake: *** [Makefile:3: test] Error 127"}


def timed(command, report, environment):
    begun = time.perf_counter()
    subprocess.run(command, input=json.dumps(report).encode(), env=environment, cwd="/", check=True)
    return (time.perf_counter() - begun) * 1e3


def main():
    ken = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "KEN_HOME": home, "HOME": home}
        hook = [ken, "hook", "post-tool"]
        cases = {"nothing": (["true"], {}), "went well": (hook, WENT_WELL), "failed": (hook, FAILED)}
        times = {name: [] for name in cases}
        for _ in range(count):
            for name, (command, report) in cases.items():
                times[name].append(timed(command, report, environment))
    for name, all_times in times.items():
        all_times.sort()
        middle, late = all_times[count // 2], all_times[count * 95 // 100]
        print(f"{name:10} p50 {middle:5.1f} ms, p95 {late:5.1f} ms")


main()
