"""Measures `ken gateway` before public servers: the size of what is shown, what a call takes longer, and what is lost
when servers are killed.

    gateway.py --ken KEN --config SERVERS.json [--calls 300] [--killed 1000]

Python's standard library alone; tokens are counted by tiktoken (o200k_base) if it is there, else bytes are told. The
configuration has servers whose tools `--probe` can call without arguments that matter; `PROBES` names one for each of
the servers that the documentation measures.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import tempfile
import time

# A call that changes nothing, for each server that is measured.
PROBES = {
    "everything": ("echo", {"message": "x"}),
    "files": ("list_allowed_directories", {}),
    "memory": ("read_graph", {}),
    "time": ("get_current_time", {"timezone": "UTC"}),
    "git": ("git_status", {"repo_path": "."}),
}


class Client:
    """A client that shows no questions."""

    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self.number = 0
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, parameters):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the server ended in {method}")
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message
            if "method" in message and "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {}})

    def tools(self):
        tools, cursor = [], None
        while True:
            page = self.ask("tools/list", {"cursor": cursor} if cursor else {})["result"]
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor:
                return tools

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def size(tools):
    text = json.dumps({"tools": tools}, ensure_ascii=False)
    try:
        import tiktoken

        return len(tiktoken.get_encoding("o200k_base").encode(text, disallowed_special=())), "tokens"
    except Exception:  # its table comes over the network
        return len(text.encode()), "bytes"


def stat(process):
    """State, parent and group of a process; none of one that is gone."""
    try:
        state, parent, group = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:3]
        return state, int(parent), int(group)
    except OSError:
        return None


def servers(gateway, groups):
    """Living processes of the servers that a gateway has started. Each has a group, whose leader only holds it; the
    groups are added to `groups`, so that a server whose holder is gone is found too."""
    known = {int(name): stat(name) for name in os.listdir("/proc") if name.isdigit()}
    known = {process: of for process, of in known.items() if of and of[0] != "Z"}
    groups |= {process for process, (_, parent, _) in known.items() if parent == gateway}
    return [process for process, (_, _, group) in known.items() if group in groups and process != group]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ken", required=True)
    parser.add_argument("--config", required=True)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--killed", type=int, default=1000)
    arguments = parser.parse_args()
    config = json.loads(pathlib.Path(arguments.config).read_text())
    work = pathlib.Path(tempfile.mkdtemp())
    environment = dict(os.environ, KEN_HOME=str(work / "home"))

    def gateway(exposure):
        path = work / f"{exposure}.json"
        path.write_text(json.dumps(dict(config, exposure=exposure)))
        return Client([arguments.ken, "gateway", "--config", str(path)], environment)

    plain = []
    for name, server in config["mcpServers"].items():
        client = Client([server["command"], *server.get("args", [])], dict(os.environ, **server.get("env", {})))
        plain += client.tools()
        client.end()
    whole, unit = size(plain)
    print(f"{len(config['mcpServers'])} servers, {len(plain)} tools, {whole} {unit} in tools/list")
    for exposure in ["transparent", "meta", "hybrid"]:
        client = gateway(exposure)
        tools = client.tools()
        shown, _ = size(tools)
        print(f"{exposure:<12} {len(tools):>4} tools {shown:>7} {unit}, {100 * (1 - shown / whole):.1f} % fewer")
        if exposure == "hybrid":
            client.call("find", {"task": "what changed in the last commit of this repository"})
            tools = client.tools()
            shown, _ = size(tools)
            print(f"after a find {len(tools):>4} tools {shown:>7} {unit}, {100 * (1 - shown / whole):.1f} % fewer")
        client.end()

    print("\na call, median of each, in milliseconds: directly, and through the gateway; one after the other")
    probed = {name: PROBES[name] for name in config["mcpServers"] if name in PROBES}
    client = gateway("meta")
    for name, (tool, given) in probed.items():
        server = config["mcpServers"][name]
        straight = Client([server["command"], *server.get("args", [])], dict(os.environ, **server.get("env", {})))
        through = lambda: client.call("call", {"name": f"{name}__{tool}", "arguments": given})
        same = through()["result"] == straight.call(tool, given)["result"] or name == "time"
        took = ([], [])
        for _ in range(arguments.calls):
            for into, ask in ((took[0], lambda: straight.call(tool, given)), (took[1], through)):
                begun = time.perf_counter()
                ask()
                into.append(1000 * (time.perf_counter() - begun))
        direct, by = statistics.median(took[0]), statistics.median(took[1])
        print(f"{name:<12} {direct:>7.2f} {by:>7.2f}  adds {by - direct:.2f}; the same result: {same}")
        straight.end()

    print("\nservers killed at random")
    random.seed(7)
    ask = lambda name, tool, given: client.call("call", {"name": f"{name}__{tool}", "arguments": given})
    right = {name: ask(name, *probe)["result"] for name, probe in probed.items()}
    wrong = told = kills = answered = 0
    groups = set()
    for number in range(arguments.killed):
        if number % 20 == 10:
            alive = servers(client.process.pid, groups)
            if alive:
                kills += 1
                try:
                    os.kill(random.choice(alive), signal.SIGKILL)
                except OSError:
                    pass
        name = random.choice(list(probed))
        tool, given = probed[name]
        result = client.call("call", {"name": f"{name}__{tool}", "arguments": given}).get("result", {})
        if result.get("isError"):
            told += 1
            time.sleep(0.2)
        elif name == "time" or result == right[name]:
            answered += 1
        else:
            wrong += 1
    servers(client.process.pid, groups)
    client.end()
    time.sleep(1)
    left = len(servers(client.process.pid, groups))
    print(f"{arguments.killed} calls, {kills} kills: {answered} answered, {told} told as failed, {wrong} wrong; "
          f"{left} processes left")


main()
