#!/usr/bin/env python3
"""Makes a set in BEIR layout of crates' documentation: usage: crate_docs.py OUT

Documents are the paragraphs of README.md, docs/*.md and the `//!` documentation of src/lib.rs of the crates that
questions.jsonl beside this file names, in the versions of Cargo.lock, as they lie in cargo's registry. A question's
evidence are the paragraphs that hold its quotations. `metadata.file` says which paragraphs stand in one file:

    benches/pack/crate_docs.py OUT && ken bench pack OUT --file-by file
"""
import glob, json, os, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
LOCK = open(os.path.join(HERE, "../../Cargo.lock")).read()
HOME = os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo"))


def folders(crate):
    versions = re.findall(rf'name = "{re.escape(crate)}"\nversion = "([^"]+)"', LOCK)
    found = [f for v in versions for f in glob.glob(f"{HOME}/registry/src/*/{crate}-{v}")]
    return found[-1:]


def texts(folder):
    for path in [folder + "/README.md"] + sorted(glob.glob(folder + "/docs/*.md")):
        if os.path.exists(path):
            yield path, open(path, encoding="utf-8", errors="replace").read()
    lib = folder + "/src/lib.rs"
    if os.path.exists(lib):
        lines = open(lib, encoding="utf-8", errors="replace").read().splitlines()
        said = [re.sub(r"^//! ?", "", line) for line in lines if line.startswith("//!")]
        if said:
            yield lib, "\n".join(said)


def paragraphs(text):
    """Paragraphs with the heading above them; a fenced listing is one."""
    title, block, fence = "", [], None
    for line in text.splitlines() + [""]:
        mark = re.match(r"\s*(```+|~~~+)", line)
        heading = fence is None and re.match(r"#{1,6}\s+(.*?)#*$", line)
        if fence is None and (not line.strip() or heading):
            if block:
                yield title, "\n".join(block)
            block = []
            if heading:
                title = heading.group(1).strip()
            continue
        block.append(line)
        if mark:
            fence = None if fence and line.strip().startswith(fence) else fence or mark.group(1)
    if block:
        yield title, "\n".join(block)


def main(out):
    questions = [json.loads(line) for line in open(os.path.join(HERE, "questions.jsonl"))]
    documents, by_crate = [], {}
    for crate in sorted({q["crate"] for q in questions}):
        for folder in folders(crate):
            for path, text in texts(folder):
                name = f"{os.path.basename(folder)}/{os.path.relpath(path, folder)}"
                for at, (title, body) in enumerate(paragraphs(text)):
                    document = {"_id": f"{name}#{at}", "title": title, "text": body, "metadata": {"file": name}}
                    documents.append(document)
                    by_crate.setdefault(crate, []).append(document)
    os.makedirs(out + "/qrels", exist_ok=True)
    qrels, kept, lost = ["query-id\tcorpus-id\tscore"], [], 0
    for q in questions:
        plain = lambda text: " ".join(text.split())
        found = {d["_id"] for quote in q["evidence"] for d in by_crate.get(q["crate"], []) if plain(quote) in plain(d["text"])}
        lost += not found
        qrels += [f"{q['id']}\t{i}\t1" for i in sorted(found)]
        kept.append({"_id": q["id"], "text": q["question"], "metadata": {"crate": q["crate"]}})
    write = lambda name, rows: open(os.path.join(out, name), "w").write("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    write("corpus.jsonl", documents)
    write("queries.jsonl", kept)
    open(out + "/qrels/test.tsv", "w").write("\n".join(qrels) + "\n")
    print(f"{len(documents)} paragraphs of {len({d['metadata']['file'] for d in documents})} files, {len(kept)} questions, {lost} without evidence")


if __name__ == "__main__":
    main(*sys.argv[1:])
