"""How long answers are: lines on a terminal of 80 columns, for the built-in messages and logs that are answered.

    python3 benches/packs/answers.py KEN [KEN...]

Several programs are compared in one run. KEN_HOME names the data folder, as for ken itself."""

import fcntl
import json
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

CASES = Path(__file__).resolve().parents[2] / "tests" / "lookup" / "messages.jsonl"


COLUMNS = 80


def lines(ken, text):
    """Lines of the answer on a terminal; None without one."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    with tempfile.TemporaryFile() as question:
        question.write(text.encode())
        question.seek(0)
        with subprocess.Popen([ken, "--quiet", "lookup", "-"], stdin=question, stdout=its, stderr=subprocess.DEVNULL) as ran:
            os.close(its)
            out = b""
            while chunk := read(ours):
                out += chunk
    os.close(ours)
    return len(out.splitlines()) if ran.returncode == 0 else None


def read(terminal):
    """What a program writes next; nothing when it has ended."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def main():
    texts = [json.loads(line)["text"] for line in CASES.open()]
    for ken in sys.argv[1:]:
        found = sorted(n for n in (lines(ken, text) for text in texts) if n)
        over = sum(n > 12 for n in found) / len(found)
        print(
            f"{ken}: {len(found)} answers, median {statistics.median(found):.0f} lines, "
            f"nine of ten at most {found[int(0.9 * len(found))]}, longest {found[-1]}, {over:.1%} over 12"
        )


if __name__ == "__main__":
    main()
