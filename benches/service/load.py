#!/usr/bin/env python3
"""Asks a running service as many do at once: requests a second, times, memory; then more than it can answer.

    benches/service/load.py search --url URL --token TOKEN --pid PID --questions FILE [--connections 1,8,64]
    benches/service/load.py overload --url URL --token TOKEN --pid PID --questions FILE [--seconds 60]

The questions are one a line. With `--peer` the service is the one of benches/peers/search/server.py, which takes a
question in its address. One process asks over plain sockets that stay open, so that it costs little itself.
"""

import argparse
import asyncio
import json
import time
from urllib.parse import quote, urlparse


def memory(pid):
    """Resident memory of a process, MiB."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def request(options, question):
    host = urlparse(options.url).netloc
    if options.peer:
        return f"GET /search?q={quote(question)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    body = json.dumps({"query": question, "limit": 5, **({"dry_run": True} if options.dry_run else {})}).encode()
    head = (f"POST /v1/search HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {options.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


async def answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    lines = head.lower().split(b"\r\n")
    length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length"))
    await reader.readexactly(length)
    return status


async def ask(options, questions, connections, seconds):
    """Times in ms of all answers, their statuses, and the seconds that it took."""
    address = urlparse(options.url)
    requests = [request(options, question) for question in questions]
    times, statuses, end, at = [], {}, time.monotonic() + seconds, 0

    async def one():
        nonlocal at
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        while time.monotonic() < end:
            mine, at = requests[at % len(requests)], at + 1
            begun = time.monotonic()
            writer.write(mine)
            status = await answer(reader)
            times.append((time.monotonic() - begun) * 1e3)
            statuses[status] = statuses.get(status, 0) + 1
            if status == 429:
                await asyncio.sleep(0.05)
        writer.close()

    begun = time.monotonic()
    results = await asyncio.gather(*(one() for _ in range(connections)), return_exceptions=True)
    failed = [result for result in results if isinstance(result, BaseException)]
    return sorted(times), statuses, time.monotonic() - begun, failed


def shown(times, took):
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))]
    return (f"{len(times) / took:8.0f} requests/s, p50 {at(.5):.1f}, p95 {at(.95):.1f}, p99 {at(.99):.1f} ms, "
            f"most {times[-1]:.0f} ms")


def search(options, questions):
    for connections in (int(count) for count in options.connections.split(",")):
        for name, some in (("distinct", questions), ("repeated", questions[:50])):
            times, statuses, took, failed = asyncio.run(ask(options, some, connections, options.seconds))
            print(f"{connections:4} connections, {name}: {shown(times, took)}, {statuses}, {len(failed)} failed, "
                  f"{memory(options.pid):.0f} MiB", flush=True)


def overload(options, questions):
    before = memory(options.pid)
    times, statuses, took, failed = asyncio.run(ask(options, questions, 500, options.seconds))
    print(f" 500 connections: {shown(times, took)}, {statuses}, {len(failed)} failed, "
          f"{before:.0f} -> {memory(options.pid):.0f} MiB")
    time.sleep(1)
    times, statuses, took, failed = asyncio.run(ask(options, questions, 1, 3))
    print(f"a second later, 1 connection: {shown(times, took)}, {statuses}, {len(failed)} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["search", "overload"])
    parser.add_argument("--url", required=True)
    parser.add_argument("--token", default="")
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--connections", default="1,8,64")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--dry-run", action="store_true", help="the hits are not counted as shown")
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    with open(options.questions, encoding="utf-8") as lines:
        questions = [line.strip() for line in lines if line.strip()]
    {"search": search, "overload": overload}[options.what](options, questions)


if __name__ == "__main__":
    main()
