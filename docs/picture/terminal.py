#!/usr/bin/env python3
"""Makes the picture of the README, `docs/picture/terminal.svg`, from what `ken` prints.

    python3 docs/picture/terminal.py                 writes the picture
    python3 docs/picture/terminal.py --check         compares it with what `ken` prints now; exits with 1 if it differs

`--ken PATH` names the program; without it, it is `target/release/ken`. The session runs in a new folder with a home of
its own, without a model, so nothing of yours is read and nothing is downloaded. Standard output and standard error are
drawn as they come, colours included. Nothing is cut: a line that does not fit, an escape code that is not known, or an
exit code that is not expected ends the script.
"""

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).resolve().with_name("terminal.svg")

NOTES = {
    "keys.md": """# Signing keys

Signing keys are rotated every ninety days. Whoever is on call runs `make rotate`,
waits until both keys are accepted, and takes the old one out of the vault.
""",
    "billing.md": """# Billing client

Requests to billing are retried three times, with exponential back-off and jitter.
Only a request that has an idempotency key is retried after a timeout.
""",
}

# What is typed, and the exit code that belongs to it.
SESSION = [
    (r"""ken lookup "/usr/bin/env: 'bash\r': No such file or directory" """.strip(), 0),
    ('ken lookup "the flux capacitor of my delorean overheats"', 1),
    ("ken index --quiet notes", 0),
    ('ken search "how many times are billing requests retried"', 0),
]

# As wide as the longest line of the session; GitHub shows a picture of this width nearly unscaled.
COLUMNS = 98
MAX_LINES = 40
MAX_BYTES = 30_000

# Pixels. Common monospace fonts are 0.6 of their size wide; `textLength` brings the others to that width.
FONT_SIZE = 14
CELL = 8.4
LINE = 20
MARGIN = 22
BAR = 38
# Room above a prompt, so that the eye finds the next command.
GAP = 12

# The 16 colours of a terminal, 30 to 37 and 90 to 97, each with a contrast of at least 4.5 to the background.
COLOURS = {
    code: colour
    for first, row in [
        (30, "#858c99 #f2777a #6fcf7f #e2b95c #7aa7f7 #cf8ef0 #5cc8d7 #d5d9e0"),
        (90, "#9aa1ad #ff9a9c #93e3a0 #f3d083 #9fc1ff #e0b0fa #8be0ec #ffffff"),
    ]
    for code, colour in enumerate(row.split(), first)
}
TEXT = "#e4e7ec"
BACKGROUND = "#171b22"
EDGE = "#3a414d"
BUTTONS = ["#f2777a", "#e2b95c", "#6fcf7f"]
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace"

# Differs between machines: how long it took, how fast it was, how sure a hit is.
VARIES = re.compile(r"\d+(?:\.\d+)?(?= (?:%|s\b|ms\b|tokens/s))")
PLACES = re.compile(r'(?<= )(x|textLength)="[^"]*"')


class Look(NamedTuple):
    """How a character is drawn."""

    bold: bool = False
    faint: bool = False
    underlined: bool = False
    # 0 is the colour of ordinary text.
    colour: int = 0

    def classes(self):
        """The names of the classes in the style sheet."""
        names = [name for name, wanted in zip("bdu", (self.bold, self.faint, self.underlined)) if wanted]
        return " ".join(names + ([f"c{self.colour}"] if self.colour else []))

    def after(self, codes):
        """The look after an escape code such as `1;36`."""
        look = self
        for code in (int(code or 0) for code in codes.split(";")):
            if code == 0:
                look = Look()
            elif code in (1, 2, 4):
                look = look._replace(**{{1: "bold", 2: "faint", 4: "underlined"}[code]: True})
            elif code == 22:
                look = look._replace(bold=False, faint=False)
            elif code == 24:
                look = look._replace(underlined=False)
            elif code == 39:
                look = look._replace(colour=0)
            elif code in COLOURS:
                look = look._replace(colour=code)
            else:
                sys.exit(f"no picture for the escape code {code} of {codes!r}")
        return look


class Run(NamedTuple):
    """Text of one look: the column where it begins, the columns that it takes."""

    column: int
    width: int
    look: Look
    text: str


def width_of(char):
    """The columns that a character takes."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def runs_of(line, look):
    """Cuts a line into runs; also gives the look at its end.

    A character beyond ASCII may come from another font, so it is a run of its own and moves no neighbour.
    """
    runs, column = [], 0
    for part in re.split(r"(\x1b\[[\d;]*m)", line):
        if part.startswith("\x1b["):
            look = look.after(part[2:-1])
            continue
        for piece in re.findall(r"[ -~]+|[^ -~][\u0300-\u036f\u200d\ufe0f]*", unicodedata.normalize("NFC", part)):
            if any(unicodedata.category(char) == "Cc" for char in piece):
                sys.exit(f"no picture for the control character in {line!r}")
            width = sum(map(width_of, piece))
            # Spaces at an end are not drawn: fonts disagree on their width, columns do not.
            begin = column + len(piece) - len(piece.lstrip(" "))
            if text := piece.strip(" "):
                runs.append(Run(begin, sum(map(width_of, text)), look, text))
            column += width
    if column > COLUMNS:
        sys.exit(f"{column} columns are too wide for {COLUMNS}: {line}")
    return runs, look


def play(ken):
    """Runs the session. Gives for every command what was typed and what was printed."""
    with tempfile.TemporaryDirectory(prefix="picture-") as scratch:
        home, work = Path(scratch, "home"), Path(scratch, "work")
        home.mkdir()
        (work / "notes").mkdir(parents=True)
        for name, text in NOTES.items():
            (work / "notes" / name).write_text(text, encoding="utf-8")
        env = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(home),
            "KEN_HOME": str(home / "ken"),
            "COLUMNS": str(COLUMNS),
            "LC_ALL": "C.UTF-8",
        }
        for typed, expected in SESSION:
            words = [str(ken), "--color", "always", *shlex.split(typed)[1:]]
            done = subprocess.run(
                words, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            printed = done.stdout.decode("utf-8")
            if done.returncode != expected:
                sys.exit(f"{typed}\n{printed}exit code {done.returncode} in place of {expected}")
            yield typed, printed.splitlines()


def draw(session):
    """The picture of a session."""
    texts, y, lines = [], BAR + FONT_SIZE, 0
    for number, (typed, printed) in enumerate(session):
        y += GAP if number else 0
        look = Look()
        for line in [f"\x1b[1;32m$\x1b[0m \x1b[1m{typed}\x1b[0m", *printed]:
            runs, look = runs_of(line, look)
            for run in runs:
                classes = run.look.classes()
                texts.append(
                    f'<text x="{MARGIN + run.column * CELL:g}" y="{y}"'
                    + (f' class="{classes}"' if classes else "")
                    + f' textLength="{run.width * CELL:g}" lengthAdjust="spacingAndGlyphs">{escape(run.text)}</text>'
                )
            y += LINE
            lines += 1
    if lines > MAX_LINES:
        sys.exit(f"{lines} lines are more than {MAX_LINES}")
    width, height = round(COLUMNS * CELL + 2 * MARGIN), y - LINE + MARGIN
    used = {name for classes in re.findall('class="([^"]*)"', "".join(texts)) for name in classes.split()}
    styles = {"b": "font-weight:bold", "d": "fill-opacity:.64", "u": "text-decoration:underline"}
    styles |= {f"c{code}": f"fill:{colour}" for code, colour in COLOURS.items()}
    typed = "; ".join(typed for typed, _ in session)
    picture = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
            ' role="img" aria-labelledby="title desc">',
            '<title id="title">A terminal session with ken</title>',
            f'<desc id="desc">Made by docs/picture/terminal.py from real output. Typed: {escape(typed)}.</desc>',
            f"<style>text{{font:{FONT_SIZE}px {FONTS};fill:{TEXT};white-space:pre}}",
            *[f".{name}{{{style}}}" for name, style in styles.items() if name in used],
            "</style>",
            f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9" fill="{BACKGROUND}"'
            f' stroke="{EDGE}"/>',
            *[
                f'<circle cx="{MARGIN + 5 + 19 * number}" cy="{BAR // 2}" r="5.5" fill="{colour}"/>'
                for number, colour in enumerate(BUTTONS)
            ],
            '<g xml:space="preserve">',
            *texts,
            "</g>",
            "</svg>\n",
        ]
    )
    if len(picture.encode()) > MAX_BYTES:
        sys.exit(f"{len(picture.encode())} bytes are more than {MAX_BYTES}")
    return picture


def masked(picture):
    """The lines of a picture without what differs between machines."""
    for line in picture.splitlines():
        steady = VARIES.sub("#", line)
        # More digits take more room.
        yield PLACES.sub(r'\1="#"', steady) if steady != line and line.startswith("<text") else line


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ken", type=Path, default=ROOT / "target/release/ken", help="the program")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    args = parser.parse_args()
    if not args.ken.is_file():
        sys.exit(f"there is no program at {args.ken}: cargo build --release, or name it with --ken")
    picture = draw(list(play(args.ken.resolve())))
    if not args.check:
        PICTURE.write_bytes(picture.encode())
        print(f"{PICTURE.relative_to(ROOT)}: {len(picture.encode())} bytes")
        return
    there = PICTURE.read_text(encoding="utf-8") if PICTURE.exists() else ""
    names = ("the picture", "what ken prints now")
    difference = list(difflib.unified_diff(list(masked(there)), list(masked(picture)), *names, n=0, lineterm=""))
    if difference:
        print(*difference[:20], sep="\n")
        more = len(difference) - 20
        print(f"{f'and {more} lines more; ' if more > 0 else ''}if this is right: python3 docs/picture/terminal.py")
        sys.exit(1)
    print("the picture shows what ken prints")


if __name__ == "__main__":
    main()
