"""Makes sets of growing size to see whether silence holds as the index grows, in BEIR's layout.

    python3 benches/eval/noise_by_size.py OUT [--sizes 2000,20000,200000] [--from DIR...]
    ken bench run OUT/* --run hybrid

Documents are sentences and paragraphs of documentation that lies on the machine: comments of crates in the cargo
registry, pages of the Rust toolchain's documentation, and whatever folders are named. A larger set holds all
of a smaller one. Questions that have no answer: 500 of the built-in set's unanswerable inputs. Questions that have one: the first
sentence of 300 paragraphs of two sentences or more, of which the rest is the document.
"""

import argparse
import hashlib
import html
import json
import pathlib
import re

COMMENT = re.compile(r"\s*//[/!] ?(.*)")
PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.S)
TAG = re.compile(r"<[^>]*>")
SENTENCE = re.compile(r"(?<=[.!?]) +(?=[A-Z`])")
ANSWERED, UNANSWERED = 300, 500


def paragraphs(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        return [html.unescape(TAG.sub("", found)) for found in PARAGRAPH.findall(text)]
    if path.suffix == ".rs":
        lines = (found.group(1) if (found := COMMENT.match(line)) else "" for line in text.splitlines())
        text = "\n".join(lines)
    return re.split(r"\n\s*\n", text)


def order(text):
    return hashlib.sha256(text.encode()).digest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sizes", default="2000,20000,200000")
    home = pathlib.Path.home()
    folders = [home / ".cargo/registry/src", *home.glob(".rustup/toolchains/*/share/doc/rust/html")]
    parser.add_argument("--from", dest="folders", nargs="*", type=pathlib.Path, default=folders)
    args = parser.parse_args()
    texts, opened = set(), {}
    for folder in args.folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".rs", ".md", ".html") or not path.is_file():
                continue
            for paragraph in paragraphs(path):
                whole = " ".join(paragraph.split())
                sentences = SENTENCE.split(whole)
                rest = whole[len(sentences[0]) :].strip()
                if len(sentences) > 1 and 40 <= len(sentences[0]) <= 200 and 80 <= len(rest) <= 1200:
                    opened[rest] = sentences[0]
                texts.update(part for part in [whole, *sentences] if 40 <= len(part) <= 1200)
    asked = sorted(opened, key=order)[:ANSWERED]
    # Nothing that says the answer in other places: neither the question nor the paragraph it was taken from.
    told = {part for rest in asked for part in (opened[rest], f"{opened[rest]} {rest}")}
    others = sorted(texts - told - set(asked), key=order)
    cases = pathlib.Path(__file__).parents[2] / "tests/lookup/unanswerable.jsonl"
    silent = sorted((json.loads(line)["text"] for line in cases.open()), key=order)[:UNANSWERED]
    for size in map(int, args.sizes.split(",")):
        documents = (asked + others)[:size]
        folder = args.out / f"docs-{len(documents)}"
        (folder / "qrels").mkdir(parents=True, exist_ok=True)
        rows = ({"_id": f"d{at}", "text": text} for at, text in enumerate(documents))
        write(folder / "corpus.jsonl", rows)
        write(folder / "queries.jsonl", ({"_id": f"q{at}", "text": opened[rest]} for at, rest in enumerate(asked)))
        write(folder / "unanswerable.jsonl", ({"_id": f"u{at}", "text": text} for at, text in enumerate(silent)))
        lines = ["query-id\tcorpus-id\tscore", *(f"q{at}\td{at}\t1" for at in range(len(asked)))]
        (folder / "qrels/test.tsv").write_text("\n".join(lines) + "\n")
        print(f"{folder}: {len(documents)} texts")


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


main()
