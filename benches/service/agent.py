#!/usr/bin/env python3
"""How long an agent waits for `ken mcp`, and whether any process stays when agents go.

    python3 benches/service/agent.py target/release/ken [--rounds 15] [--clients 200]

Reads the home of `ken` that the environment names; the lines about meaning need a model there. Prints a JSON object for
each step: the median and the longest of all rounds, in milliseconds. Every round is a new process.
"""

import argparse
import json
import statistics
import subprocess
import time

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
LOOKUPS = [
    ("first call, exact", "fatal: refusing to merge unrelated histories"),
    ("first by meaning", "terraform says somebody else is holding the lock on the state"),
    ("second by meaning", "docker says there is no space left on the device while building"),
]


class Agent:
    """A client with a process of its own."""

    def __init__(self, ken):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([ken, "mcp"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        self.asked = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.asked:
                return answer

    def go(self):
        self.process.stdin.close()
        self.process.stdout.close()


def timed(what, times):
    started = time.perf_counter()
    what()
    times.append((time.perf_counter() - started) * 1e3)


def one_round(ken, times):
    started = time.perf_counter()
    agent = Agent(ken)
    agent.ask("initialize", HELLO)
    times.setdefault("start to handshake", []).append((time.perf_counter() - started) * 1e3)
    agent.send({"method": "notifications/initialized"})
    for name, text in LOOKUPS:
        call = {"name": "lookup", "arguments": {"text": text}}
        timed(lambda call=call: agent.ask("tools/call", call), times.setdefault(name, []))
    agent.go()
    agent.process.wait()


def left_behind(ken, clients):
    """Processes that still run three seconds after their clients have gone without a word."""
    agents = []
    for _ in range(clients):
        agent = Agent(ken)
        agent.send({"id": 1, "method": "initialize", "params": HELLO})
        agent.go()
        agents.append(agent)
    time.sleep(3)
    return sum(agent.process.poll() is None for agent in agents)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ken")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--clients", type=int, default=200)
    args = parser.parse_args()
    times = {}
    for _ in range(args.rounds):
        one_round(args.ken, times)
    for step, all_times in times.items():
        median, longest = statistics.median(all_times), max(all_times)
        print(json.dumps({"step": step, "median_ms": round(median, 1), "longest_ms": round(longest, 1)}))
    print(json.dumps({"clients": args.clients, "processes_left": left_behind(args.ken, args.clients)}))


if __name__ == "__main__":
    main()
