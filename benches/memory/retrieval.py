#!/usr/bin/env python3
"""Whether what was remembered comes back: preferences that bear on a request, values that changed, silence.

usage: retrieval.py KEN MODELS prefeval|sgd FOLDER [--half even|odd] [--gate SHARE]

KEN is a binary, MODELS a folder with `models` and `vectors` as a KEN_HOME has them, FOLDER the set: `memory-prefeval`
or `memory-sgd`, as their READMEs describe them. Each user has a home of their own. Preferences are imported into it as
memories; turns of dialogues are remembered one after another, each dialogue a session, as facts of a repository. Then
each question is a cold search. Standard library only, and git.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

DAY = 86_400_000
# Relevance to ask for in place of the gate.
GATE = None


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def home_of(models, texts, kind, now):
    """A home with these texts as memories, oldest first; gives it and the texts' own ids by memory."""
    home = tempfile.mkdtemp()
    for folder in ("models", "vectors"):
        os.symlink(os.path.join(models, folder), os.path.join(home, folder))
    os.chmod(home, 0o700)
    names, lines = {}, [{"type": "kenning", "format": 1, "exported_at": 0}]
    for number, (name, text) in enumerate(texts, 1):
        memory = f"memory/{number:012x}"
        names[memory] = name
        change = {"name": "observed", "kind": kind, "scope": "global", "authority": "personal", "source": "said"}
        event = {"number": number, "at": now - (len(texts) - number) * DAY // 4, "memory": memory, "session": "s",
                 "author": "person", "change": change, "words": {"text": text}}
        lines.append({"type": "memory", "event": event})
    lines.append({"type": "end", "records": len(texts)})
    return home, names, "".join(json.dumps(line) + "\n" for line in lines)


def run(ken, home, arguments, text=""):
    environment = {"PATH": os.environ["PATH"], "KEN_HOME": home, "HOME": home, "HF_HUB_OFFLINE": "1"}
    ran = subprocess.run([ken, *arguments], input=text, env=environment, cwd=home, capture_output=True, text=True)
    assert ran.returncode in (0, 1), (arguments, ran)
    return ran.stdout


def found(ken, home, names, question, gate):
    least = [] if gate and GATE is None else ["--min-relevance", str(GATE if gate else 0)]
    arguments = ["search", "--json", "--dry-run", "-n", "10", *least]
    arguments += ["--kind", "preference", "--kind", "fact", "--", question]
    answer = json.loads(run(ken, home, arguments))
    return [names.get(hit["id"], "") for hit in answer["results"][0]["hits"]]


def remembered(ken, models, said):
    """A home that remembers these turns, in their order; gives it and the memory of each turn. Equal words are one."""
    home = tempfile.mkdtemp()
    for folder in ("models", "vectors"):
        os.symlink(os.path.join(models, folder), os.path.join(home, folder))
    os.chmod(home, 0o700)
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    commit = [*author, "commit", "-q", "--allow-empty", "-m", os.path.basename(home)]
    for arguments in (["init", "-q"], commit):
        subprocess.run(["git", *arguments], cwd=home, check=True)
    options = ["remember", "--json", "--kind", "fact", "--author", "person"]
    memories = {}
    for turn in said:
        told = run(ken, home, [*options, "--session", f"s{turn['session']}", "--", turn["text"]])
        memories[turn["id"]] = json.loads(told)["memory"]["id"]
    return home, memories


def prefeval(ken, models, folder, half, now):
    preferences = {one["id"]: one["text"] for one in read(folder / "preferences.jsonl")}
    questions = {one["id"]: one for one in read(folder / "questions.jsonl")}
    first = reciprocal = count = shown = right = 0
    for number, user in enumerate(read(folder / "users.jsonl")):
        if half and number % 2 != (half == "odd"):
            continue
        texts = [(one, preferences[one]) for one in user["preferences"]]
        home, names, export = home_of(models, texts, "preference", now)
        run(ken, home, ["import", "-"], export)
        for question in user["questions"]:
            gold = question.removeprefix("q/")
            ranked = found(ken, home, names, questions[question]["question"], False)
            gated = found(ken, home, names, questions[question]["question"], True)
            place = ranked.index(gold) + 1 if gold in ranked else 0
            first += place == 1
            reciprocal += 1 / place if place else 0
            shown += bool(gated)
            right += gold in gated
            count += 1
        shutil.rmtree(home)
    print(f"prefeval: {count} questions, hit@1 {first / count:.3f}, MRR {reciprocal / count:.3f}; "
          f"at the gate {shown / count:.3f} answered, the right one among them {right / count:.3f}")


def sgd(ken, models, folder, half, _):
    turns, asked = {}, {}
    for turn in read(folder / "turns.jsonl"):
        turns.setdefault(turn["memory"], []).append(turn)
    for question in read(folder / "questions.jsonl"):
        asked.setdefault(question["memory"], []).append(question)
    stale = either = answered = answerable = silent = unanswerable = inside = 0
    for number, (memory, said) in enumerate(sorted(turns.items())):
        if half and number % 2 != (half == "odd"):
            continue
        home, memories = remembered(ken, models, said)
        names = {one: one for one in memories.values()}
        for question in asked.get(memory, []):
            gated = found(ken, home, names, question["question"], True)
            if question["kind"] == "unanswerable":
                unanswerable += 1
                silent += not gated
                continue
            answerable += 1
            answered += bool(gated)
            ranked = found(ken, home, names, question["question"], False)
            inside += any(memories[one] in ranked[:5] for one in question["evidence"])
            if question["kind"] == "update":
                old = [memories[one["turn"]] for one in question["stale"]]
                old = [ranked.index(one) for one in old if one in ranked]
                new = [ranked.index(memories[one]) for one in question["evidence"] if memories[one] in ranked]
                if old or new:
                    either += 1
                    stale += bool(old) and (not new or min(old) < min(new))
        shutil.rmtree(home)
    print(f"sgd: stale above current {stale / max(either, 1):.3f} of {either}, recall@5 {inside / answerable:.3f}; "
          f"unanswerable silent {silent / unanswerable:.3f}, coverage {answered / answerable:.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ken")
    parser.add_argument("models")
    parser.add_argument("set", choices=["prefeval", "sgd"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--half", choices=["even", "odd"])
    parser.add_argument("--gate", type=float, help="relevance to ask for in place of the gate")
    given = parser.parse_args()
    global GATE
    GATE = given.gate
    now = 1_790_000_000_000
    which = prefeval if given.set == "prefeval" else sgd
    which(os.path.abspath(given.ken), os.path.abspath(given.models), given.folder, given.half, now)


main()
