#!/usr/bin/env python3
"""How long an agent waits for the hook: a cold process for each report, in turns with a program that does nothing.

usage: hook.py KEN [COUNT] [ROWS]

KEN is a binary; the reports go into a home that is removed afterwards, with so many rows of other sessions in it
(default 0), a third of which failed. Standard library only.
"""
import json
import os
import sqlite3
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


def fill(home, rows):
    """Rows of sessions of fifty, all analysed, written as the program writes them."""
    now, sessions, kinds = int(time.time() * 1000), max(rows // 50, 1), 2_000
    database = sqlite3.connect(os.path.join(home, "kenning.db"))
    with database:
        database.executemany("INSERT INTO outcome_session VALUES (?, 'global', 50, 50, 50, ?, ?)",
                             ((f"old {at}", now, now) for at in range(sessions)))
        row = "INSERT INTO tool_outcome VALUES (?, ?, ?, 'bash', 'make', ?, ?, ?, ?, ?, ?, 20, 'global', NULL)"
        database.executemany(row, (made(at, now, kinds) for at in range(sessions * 50)))
        errors = ((at + 10, f"v2:{at:016x}", f"old {at}") for at in range(kinds))
        row = "INSERT INTO error_log VALUES (?, 'global', 'bash', 'make', ?, 'make: no rule', ?, 9, 0, 0)"
        database.executemany(row, errors)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    # What was just written must not wait for the disk while others are timed.
    os.sync()


def made(at, now, kinds):
    failed = at % 3 == 0
    error = (2, f"make: *** no rule to make target number {at}", f"v2:{at % kinds:016x}") if failed else (0, "", None)
    return (f"old {at // 50}", at % 50 + 1, now, f"make -j{at % 9} target_{at}", f"{at:032x}", int(not failed), *error)


def main():
    ken = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "KEN_HOME": home, "HOME": home}
        hook = [ken, "hook", "post-tool"]
        cases = {"nothing": (["true"], {}), "went well": (hook, WENT_WELL), "failed": (hook, FAILED)}
        times = {name: [] for name in cases}
        if rows:
            timed(hook, WENT_WELL, environment)
            fill(home, rows)
        for _ in range(count):
            for name, (command, report) in cases.items():
                times[name].append(timed(command, report, environment))
    for name, all_times in times.items():
        all_times.sort()
        middle, late = all_times[count // 2], all_times[count * 95 // 100]
        print(f"{name:10} p50 {middle:5.1f} ms, p95 {late:5.1f} ms")


main()
