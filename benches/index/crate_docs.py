"""Writes the documentation of the crates in the cargo registry as Markdown, one file per source file.

    python3 benches/index/crate_docs.py OUT [PARAGRAPHS]

Takes READMEs and changelogs as they are, and the doc comments of every Rust file, crate by crate in the order of their
names, until there are about PARAGRAPHS paragraphs (20,000 if not said). The same registry gives the same files.
"""

import pathlib
import re
import sys

DOC = re.compile(r"^\s*//[/!](?!/) ?(.*)$")


def doc_comments(text):
    blocks, block = [], []
    for line in text.splitlines():
        found = DOC.match(line)
        if found:
            block.append(found.group(1))
        elif block:
            blocks.append("\n".join(block))
            block = []
    return "\n\n".join(blocks)


def paragraphs(text):
    return sum(len(part) >= 60 for part in re.split(r"\n\s*\n", text))


def main(out, wanted):
    registry = pathlib.Path.home() / ".cargo/registry/src"
    count = 0
    for crate in sorted(path for index in registry.iterdir() for path in index.iterdir()):
        for path in sorted(crate.rglob("*")):
            if path.suffix not in (".md", ".rs") or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            text = doc_comments(text) if path.suffix == ".rs" else text
            if paragraphs(text) == 0:
                continue
            target = out / crate.name / path.relative_to(crate).with_suffix(path.suffix + ".md")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            count += paragraphs(text)
            if count >= wanted:
                return count
    return count


if __name__ == "__main__":
    print(main(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20_000), "paragraphs")
