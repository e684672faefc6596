"""Asks real questions about real files, one index a project, as somebody at a terminal would.

    python3 benches/eval/questions.py KEN HOME DIR [FOLDER]

HOME is a KEN_HOME with a model. DIR holds a folder for each project in FOLDER (docs if not said), and questions.jsonl:
{"project" or "repo", "kind", "question", "answers": [{"file", "start", "end"}]}, lines from 1; and foreign.jsonl, if
there are questions that nothing answers ({"question", "kind", "project" if it is to be asked there alone}).

Prints for each kind of question how often a right passage is first and among the first five, without a gate and by
words alone too; how often the default gate shows anything; and how often it does so for foreign questions. The last
column is what a search for lines gives: the five lines that hold most of the question's different words.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def ask(ken, home, question, *options):
    command = [ken, "search", "--json", "--dry-run", "-n", "5", "--kind", "chunk", *options, "--", question]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "KEN_HOME": str(home)})
    if done.returncode not in (0, 1):
        sys.exit(f"{question}: {done.stderr}")
    return json.loads(done.stdout)["results"][0]["hits"]


def is_right(place, answers):
    file, first, last = place
    return any(file == a["file"] and first <= a["end"] and last >= a["start"] for a in answers)


def grep(folder, question):
    words = {word.lower() for word in re.findall(r"\w+", question) if len(word) > 2}
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            held = len(words & set(re.findall(r"\w+", line.lower())))
            if held:
                found.append((-held, str(path.relative_to(folder)), number))
    return [(file, number, number) for _, file, number in sorted(found)[:5]]


def main():
    ken, home, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    folder = root / (sys.argv[4] if len(sys.argv) > 4 else "docs")
    questions, foreign = lines(root / "questions.jsonl"), lines(root / "foreign.jsonl")
    name = lambda question: question.get("project") or question.get("repo")
    counts = collections.defaultdict(collections.Counter)
    for project in sorted({name(question) for question in questions}):
        with tempfile.TemporaryDirectory() as room:
            own, words = pathlib.Path(room) / "home", pathlib.Path(room) / "words"
            shutil.copytree(home, own, ignore=shutil.ignore_patterns("kenning.db*", "cache"))
            for one in (own, words):
                environment = {**os.environ, "KEN_HOME": str(one)}
                subprocess.run([ken, "index", "-q", str(folder / project)], env=environment, check=True,
                               capture_output=True)

            def places(hits):
                below = str(folder / project) + "/"
                return [(h["path"].removeprefix(below), h["line_start"], h["line_end"]) for h in hits]

            for question in (one for one in questions if name(one) == project):
                kind = question.get("kind", "question") + (" named" if question.get("named") else "")
                text, answers = question["question"], question["answers"]
                ranked = places(ask(ken, own, text, "--min-relevance", "0"))
                for group in (kind, project, "all"):
                    count = counts[group]
                    count["asked"] += 1
                    count["first"] += any(is_right(place, answers) for place in ranked[:1])
                    count["five"] += any(is_right(place, answers) for place in ranked)
                shown = bool(ask(ken, own, text))
                by_words = any(is_right(p, answers) for p in places(ask(ken, words, text, "--min-relevance", "0")))
                by_lines = any(is_right(place, answers) for place in grep(folder / project, text))
                for group in (kind, project, "all"):
                    counts[group].update(shown=shown, words=by_words, lines=by_lines)
            for question in foreign:
                if question.get("project") in (None, project):
                    shown = bool(ask(ken, own, question["question"]))
                    for group in ("foreign, " + question["kind"], "foreign"):
                        counts[group].update(asked=1, shown=shown)
    for group, count in counts.items():
        share = lambda key: f"{100 * count[key] / count['asked']:5.1f} %"
        print(f"{group:24} {count['asked']:5}", "  ".join(f"{key} {share(key)}" for key in
              ("first", "five", "shown", "words", "lines")))


if __name__ == "__main__":
    main()
