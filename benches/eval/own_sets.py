"""Makes three retrieval sets in BEIR's layout from what is in the repository and in the cargo registry.

    python3 benches/eval/own_sets.py OUT [QUESTIONS]
    python3 benches/eval/own_sets.py OUT --part

canon: the packs as documents (title, cause, fix), asked by the lookup cases that are not held back and by those that
nothing answers.

crates-a, crates-b: documentation of crates. A document is a section of a README or of a module's documentation without
its first sentence; that sentence is the question it answers. Crates go into one set or the other by the hash of their names, so that the questions of the one,
asked of the other, are questions about software that it does not hold: its unanswerable ones. QUESTIONS (400 if not
said) are kept of each, and as many that have no answer. The same registry gives the same sets.

With --part only canon-part is made: the documents that the questions of canon ask for, and as many others, chosen by
hash. It is small enough to be embedded in a minute without AVX-512, and the baseline of `ken bench gate` is made of it.

The shipped gate of indexed texts is fitted on all three: ken bench calibrate OUT/*
"""

import argparse
import hashlib
import json
import os
import pathlib
import re

DOC = re.compile(r"^\s*//! ?(.*)$")
CODE = re.compile(r"```.*?(```|\Z)", re.S)
HEADING = re.compile(r"^#{1,6} +(.+?)\s*#*$", re.M)
SENTENCE = re.compile(r"(.+?[.!?])\s+(?=[A-Z`\[])", re.S)


def sentences(said):
    """What an entry says: a text, or a list of texts and of objects with one."""
    said = [said] if isinstance(said, str) else said
    return [one if isinstance(one, str) else one["text"] for one in said]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def texts(crate):
    for path in sorted(crate.rglob("*")):
        if not path.is_file() or path.suffix not in (".md", ".rs") or "test" in str(path.relative_to(crate)):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".rs":
            text = "\n".join(found.group(1) for line in text.splitlines() if (found := DOC.match(line)))
        elif path.stem.lower() not in ("readme", "guide", "tutorial"):
            continue
        yield text


def plain(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*_`<>\[\]|#]", " ", text).split())


def sections(text):
    text = CODE.sub("\n", text)
    marks = [found for found in HEADING.finditer(text)]
    for at, mark in enumerate(marks):
        end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
        yield plain(mark.group(1)), text[mark.end() : end].strip()


def pairs(crate):
    for text in texts(crate):
        for heading, body in sections(text):
            found = SENTENCE.match(body)
            if not found:
                continue
            question, rest = plain(found.group(1)), plain(body[found.end() :])
            if 8 <= len(question.split()) <= 40 and len(rest.split()) >= 25 and question[:40] not in rest:
                yield heading, question, rest[:2000]


def write(folder, documents, questions, unanswerable, judgements):
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    files = {"corpus": documents, "queries": questions, "unanswerable": unanswerable}
    for name, rows in files.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    lines = "".join(f"{question}\t{document}\t1\n" for question, document in judgements)
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines, encoding="utf-8")
    print(folder.name, len(documents), "documents,", len(questions), "questions,", len(unanswerable), "without an answer")


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def canon(out, wanted, part=False):
    root = pathlib.Path(__file__).resolve().parents[2]
    entries = [e for path in sorted(root.glob("canon/*.json")) for e in json.loads(path.read_text("utf-8"))["entries"]]
    body = lambda e: "\n".join(sentences(e["cause"]) + sentences(e["fix"]))
    documents = [{"_id": e["id"], "title": e["title"], "text": body(e)} for e in entries]
    known = {entry["id"] for entry in entries}
    cases = [c for path in sorted(root.glob("tests/lookup/*.jsonl")) for c in lines_of(path) if not c.get("held_back")]
    asked = [case for case in cases if known & set(case.get("expect") or [])]
    silent = [case for case in cases if case["kind"] == "unanswerable"]
    asked, silent = (sorted(some, key=lambda case: digest(case["text"]))[:wanted] for some in (asked, silent))
    question = lambda case: {"_id": case["id"], "text": case["text"]}
    judged = [(case["id"], entry) for case in asked for entry in case["expect"] if entry in known]
    if part:
        right = {entry for _, entry in judged}
        others = sorted((one for one in documents if one["_id"] not in right), key=lambda one: digest(one["_id"]))
        kept = right | {one["_id"] for one in others[: len(right)]}
        documents = [one for one in documents if one["_id"] in kept]
    name = "canon-part" if part else "canon"
    write(out / name, documents, list(map(question, asked)), list(map(question, silent)), judged)


def main(out, wanted, part):
    canon(out, wanted, part)
    if part:
        return
    registry = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo") / "registry/src"
    found = {"a": {}, "b": {}}
    for crate in sorted((path for index in registry.iterdir() for path in index.iterdir()), key=lambda path: path.name):
        half = "ab"[int(digest(re.sub(r"-\d.*", "", crate.name)), 16) % 2]
        for heading, question, rest in pairs(crate):
            found[half].setdefault(question, (crate.name, heading, rest))
    chosen = {half: sorted(all_, key=digest)[:wanted] for half, all_ in found.items()}
    for half, other in ("ab", "ba"):
        ids = {question: f"d{at}" for at, question in enumerate(found[half])}
        documents = [
            {"_id": ids[question], "title": f"{crate}: {heading}", "text": rest}
            for question, (crate, heading, rest) in found[half].items()
        ]
        questions = [{"_id": f"q{ids[question]}", "text": question} for question in chosen[half]]
        foreign = [question for question in chosen[other] if question not in found[half]]
        unanswerable = [{"_id": f"u{at}", "text": question} for at, question in enumerate(foreign)]
        judged = [(f"q{ids[question]}", ids[question]) for question in chosen[half]]
        write(out / f"crates-{half}", documents, questions, unanswerable, judged)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("questions", type=int, nargs="?", default=400)
    arguments.add_argument("--part", action="store_true")
    given = arguments.parse_args()
    main(given.out, given.questions, given.part)
