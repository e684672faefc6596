#!/usr/bin/env python3
"""Whether each run is analysed once while 50 processes report runs and 2, 4 or 8 analyse them, some of them killed.

usage: together.py KEN [ROUNDS]

KEN is a binary. In each round 50 hooks and the analyses start together, and one analysis is killed after a moment. In
the end the batches that the database lists must hold each run of each session once. Standard library only.
"""
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

WRITERS, ANALYSES = 50, (2, 4, 8)


def main():
    ken, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "KEN_HOME": home, "HOME": home}
        quiet = {"env": environment, "cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        failed = 0
        for number in range(rounds):
            count = ANALYSES[number % len(ANALYSES)]
            analyses = [subprocess.Popen([ken, "patterns", "find"], **quiet) for _ in range(count)]
            writers = []
            for writer in range(WRITERS):
                report = {"session": f"s{writer}", "tool": "bash", "input": f"make {number}", "exit_code": 2,
                          "error": "make: *** Error 1"}
                hook = subprocess.Popen([ken, "hook", "post-tool"], stdin=subprocess.PIPE, **quiet)
                hook.stdin.write(json.dumps(report).encode())
                hook.stdin.close()
                writers.append(hook)
            time.sleep(chance.uniform(0, 0.05))
            analyses[0].kill()
            failed += sum(hook.wait() != 0 for hook in writers)
            for analysis in analyses:
                analysis.wait()
        # Those that the hooks have started wait for two seconds first.
        time.sleep(5)
        subprocess.run([ken, "patterns", "find"], check=True, **quiet)
        lost = os.path.exists(os.path.join(home, "kenning.db.lost"))
        database = sqlite3.connect(os.path.join(home, "kenning.db"))
        rows = dict(database.execute("SELECT session, count(*) FROM tool_outcome GROUP BY session"))
        batches = database.execute("SELECT session, from_row, to_row FROM outcome_batch ORDER BY session, from_row")
        analysed, twice = {}, 0
        for session, first, last in batches:
            twice += first != analysed.get(session, 0) + 1
            analysed[session] = last
        missing = sum(rows[session] - analysed.get(session, 0) for session in rows)
        print(f"{rounds} rounds, {sum(rows.values())} of {rounds * WRITERS} runs kept, {failed} hooks failed, "
              f"lost ones counted: {lost}; {twice} batches out of turn, {missing} runs in no batch")
        sys.exit(1 if failed or twice or missing else 0)


main()
