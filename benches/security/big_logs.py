#!/usr/bin/env python3
"""Looks up logs of 144 to 200 MB and prints processor time and peak memory of each.

    python3 benches/security/big_logs.py target/release/ken

Nothing is asserted: a busy machine is no fault. `docs/benchmarks.md` has the figures.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MB = 1_000_000


def fill(line, size):
    """Numbered lines, or one text again and again, up to so many bytes."""
    if "{}" not in line:
        return (line * (size // len(line) + 1))[:size]
    some = "".join(line.replace("{}", str(number)) for number in range(200_000))
    return (some * (size // len(some) + 1))[:size]


LOGS = {
    "one line of x": lambda: fill("x", 200 * MB),
    "one line of errors": lambda: fill("error: a b ", 200 * MB),
    "progress, CR only": lambda: fill("progress {} of 9999 error: step {} failed\r", 144 * MB),
    "tracebacks": lambda: fill('Traceback (most recent call last):\n  File "/x{}.py", line {}, in f\nValueError: bad {}\n', 200 * MB),
    "short errors": lambda: fill("error: N{} failed\n", 170 * MB),
    "lines, CR LF": lambda: fill("ok line of a build step number 12\r\n", 200 * MB),
}


def child(ken, file):
    with open(file, "rb") as log:
        code = subprocess.run([ken, "lookup", "--json", "-"], stdin=log, capture_output=True).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"exit {code}  {used.ru_utime + used.ru_stime:5.1f} s  {used.ru_maxrss >> 10:5} MiB")


def main():
    if len(sys.argv) == 3:
        return child(*sys.argv[1:])
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ken = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "KEN_HOME": os.path.join(folder, "home")}
        for name, make in LOGS.items():
            file = os.path.join(folder, "log")
            Path(file).write_text(make(), newline="")
            print(f"{name:20} ", end="", flush=True)
            # In a process of its own: the peak of memory is that of all children so far.
            subprocess.run([sys.executable, __file__, ken, file], env=environment, check=True)


if __name__ == "__main__":
    main()
