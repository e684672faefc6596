#!/usr/bin/env python3
"""Whether what was remembered comes back: preferences that bear on a request, values that changed, silence.

usage: retrieval.py KEN MODELS prefeval|sgd|locomo FOLDER [--half even|odd] [--gate SHARE]

KEN is a binary, MODELS a folder with `models` and `vectors` as a KEN_HOME has them, FOLDER the set: `memory-prefeval`
or `memory-sgd`, as their READMEs describe them, or `locomo` in BEIR's layout. Each user has a home of their own.
Preferences are imported into it as memories; turns of dialogues are remembered one after another, each dialogue a
session, as facts of a repository. Turns of locomo are put into a second home as items too, and both answer the same
questions. Then each question is a cold search. Standard library only, and git.
"""
import argparse
import json
import math
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


def home_with(models):
    """An empty home with the models."""
    home = tempfile.mkdtemp()
    for folder in ("models", "vectors"):
        os.symlink(os.path.join(models, folder), os.path.join(home, folder))
    os.chmod(home, 0o700)
    return home


def home_of(models, texts, kind, now):
    """A home with these texts as memories, oldest first; gives it and the texts' own ids by memory."""
    home = home_with(models)
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


def hits(ken, home, question, gate, kinds=("preference", "fact")):
    least = [] if gate and GATE is None else ["--min-relevance", str(GATE if gate else 0)]
    arguments = ["search", "--json", "--dry-run", "--explain", "-n", "10", *least]
    arguments += [word for kind in kinds for word in ("--kind", kind)]
    return json.loads(run(ken, home, [*arguments, "--", question]))["results"][0]["hits"]


def found(ken, home, names, question, gate):
    return [names.get(hit["id"], "") for hit in hits(ken, home, question, gate)]


def remembered(ken, models, said):
    """A home that remembers these turns, in their order; gives it and the memory of each turn. Equal words are one."""
    home = home_with(models)
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
    first = reciprocal = count = shown = right = dense = 0
    for number, user in enumerate(read(folder / "users.jsonl")):
        if half and number % 2 != (half == "odd"):
            continue
        texts = [(one, preferences[one]) for one in user["preferences"]]
        home, names, export = home_of(models, texts, "preference", now)
        run(ken, home, ["import", "-"], export)
        for question in user["questions"]:
            gold = question.removeprefix("q/")
            all_ten = hits(ken, home, questions[question]["question"], False)
            ranked = [names.get(hit["id"], "") for hit in all_ten]
            # Vectors alone: the cosines of the same search.
            nearest = max(all_ten, key=lambda hit: hit["explain"]["similar"] or 0)
            dense += names.get(nearest["id"], "") == gold
            gated = found(ken, home, names, questions[question]["question"], True)
            place = ranked.index(gold) + 1 if gold in ranked else 0
            first += place == 1
            reciprocal += 1 / place if place else 0
            shown += bool(gated)
            right += gold in gated
            count += 1
        shutil.rmtree(home)
    print(f"prefeval: {count} questions, hit@1 {first / count:.3f}, MRR {reciprocal / count:.3f}, "
          f"by vectors alone hit@1 {dense / count:.3f}; "
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


def locomo(ken, models, folder, half, _):
    turns, asked, right = {}, {}, {}
    for text in read(folder / "corpus.jsonl"):
        turns.setdefault(text["metadata"]["group"], []).append(text)
    for question in read(folder / "queries.jsonl"):
        asked.setdefault(question["metadata"]["group"], []).append(question)
    with open(next((folder / "qrels").iterdir()), encoding="utf-8") as lines:
        for line in list(lines)[1:]:
            question, text, grade = line.split()
            right.setdefault(question, set()).update([text] if int(grade) > 0 else [])
    gains = {"as memories": [], "as items": []}
    for number, (group, said) in enumerate(sorted(turns.items())):
        if half and number % 2 != (half == "odd"):
            continue
        turn = lambda text: {"id": text["_id"], "session": text["metadata"]["session"], "text": text["text"]}
        home, memories = remembered(ken, models, [turn(text) for text in said])
        items = home_with(models)
        lines = [json.dumps({"id": text["_id"], "text": text["text"], "scope": "chat"}) + "\n" for text in said]
        run(ken, items, ["items", "put", "-"], "".join(lines))
        # Turns of equal words are one memory, which is right where one of them is.
        names = {}
        for name, memory in memories.items():
            names.setdefault(memory, set()).add(name)
        for question in asked.get(group, []):
            gold = right.get(question["_id"])
            if not gold:
                continue
            first = hits(ken, home, question["text"], False, ["fact"])
            turns_of = [names.get(hit["id"], set()) for hit in first]
            gains["as memories"].append(gain([next(iter(those & gold), "") for those in turns_of], gold))
            second = hits(ken, items, question["text"], False, ["chunk"])
            gains["as items"].append(gain([hit["item"]["id"] for hit in second], gold))
        shutil.rmtree(home)
        shutil.rmtree(items)
    pairs = list(zip(*gains.values()))
    apart = [one - other for one, other in pairs]
    mean = sum(apart) / len(apart)
    error = math.sqrt(sum((one - mean) ** 2 for one in apart) / len(apart) / (len(apart) - 1))
    told = ", ".join(f"{name} {sum(all_of) / len(all_of):.4f}" for name, all_of in gains.items())
    print(f"locomo: {len(pairs)} questions, nDCG@10 {told}; difference {mean:+.4f} (standard error {error:.4f})")


def gain(ranked, gold):
    """nDCG@10 of a ranking in which `gold` are equally right."""
    got = sum(1 / math.log2(place + 2) for place, name in enumerate(ranked[:10]) if name in gold)
    return got / sum(1 / math.log2(place + 2) for place in range(min(len(gold), 10)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ken")
    parser.add_argument("models")
    parser.add_argument("set", choices=["prefeval", "sgd", "locomo"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--half", choices=["even", "odd"])
    parser.add_argument("--gate", type=float, help="relevance to ask for in place of the gate")
    given = parser.parse_args()
    global GATE
    GATE = given.gate
    now = 1_790_000_000_000
    {"prefeval": prefeval, "sgd": sgd, "locomo": locomo}[given.set](
        os.path.abspath(given.ken), os.path.abspath(given.models), given.folder, given.half, now)


main()
