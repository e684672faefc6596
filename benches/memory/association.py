#!/usr/bin/env python3
"""Whether what was tried against a problem is found by a question that shares no words with it.

usage: association.py KEN MODELS [--problems N]

KEN is a binary, MODELS a folder with `models` and `vectors` as a KEN_HOME has them. For each of N entries of the
packs, drawn by a fixed seed, an example is remembered as an error that was overcome by the first step of another entry,
and did not go away by the second. So the attempts say nothing of the problem. Each problem is asked for by a symptom of
its entry, in words of people, and by the failed attempt. The symptoms of N other entries ask for what was never
remembered.

An attempt is served if its problem's relevance, times the decay for each link, reaches the gate. So one run with all
that is found gives the curve for any decay. Standard library only.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile

PACKS = pathlib.Path(__file__).resolve().parents[2] / "canon"
DECAYS = (1.0, 0.9, 0.8, 0.7, 0.5, 0.3, 0.0)


def entries():
    for path in sorted(PACKS.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8"))["entries"]:
            plain = len(entry["fix"]) > 1 and all(isinstance(step, str) for step in entry["fix"][:2])
            if plain and entry.get("symptoms") and entry.get("examples"):
                yield entry


def run(ken, home, arguments, text=""):
    environment = {"PATH": os.environ["PATH"], "KEN_HOME": home, "HOME": home, "HF_HUB_OFFLINE": "1"}
    ran = subprocess.run([ken, *arguments], input=text, env=environment, cwd=home, capture_output=True, text=True)
    assert ran.returncode in (0, 1), (arguments, ran)
    return ran.stdout


def hits(ken, home, question, kinds):
    arguments = ["search", "--json", "--dry-run", "-n", "20", "--min-relevance", "0"]
    for kind in kinds:
        arguments += ["--kind", kind]
    answer = json.loads(run(ken, home, [*arguments, "--", question]))
    return [(hit["id"], hit["kind"], hit["relevance"]) for hit in answer["results"][0]["hits"]]


def remember(ken, home, text, error, outcome):
    arguments = ["remember", "--json", "--author", "person", "--scope", "global", "--error", "-", outcome, "--", text]
    return json.loads(run(ken, home, arguments, error))["memory"]["id"]


def share(of):
    of = list(of)
    return f"{sum(of) / len(of):.3f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ken")
    parser.add_argument("models")
    parser.add_argument("--problems", type=int, default=150)
    parser.add_argument("--gate", type=float, default=0.391, help="that of the default search")
    given = parser.parse_args()
    ken, drawn = os.path.abspath(given.ken), list(entries())
    random.Random(1).shuffle(drawn)
    known, unknown = drawn[: given.problems], drawn[given.problems : 2 * given.problems]
    with tempfile.TemporaryDirectory() as home:
        for folder in ("models", "vectors"):
            os.symlink(os.path.abspath(os.path.join(given.models, folder)), os.path.join(home, folder))
        cases, taken = [], set()
        for at, entry in enumerate(known):
            other = known[(at + 1) % len(known)]["fix"]
            error = entry["examples"][0]["text"]
            ids = [remember(ken, home, other[0], error, "--worked"), remember(ken, home, other[1], error, "--failed")]
            if taken.isdisjoint(ids):
                cases.append((entry["symptoms"][0], other[1], *ids))
                taken.update(ids)
        asked = {"a symptom": 0, "the failed attempt": 1}
        for name, place in asked.items():
            plain, linked = [], []
            for case in cases:
                worked = case[2]
                if place == 0:
                    plain.append(worked in [id for id, _, _ in hits(ken, home, case[0], ["tactic"])[:5]])
                found = hits(ken, home, case[place], ["problem", "tactic"])
                ranked = ((at, relevance) for at, (id, _, relevance) in enumerate(found) if id == worked)
                linked.append(next(ranked, None))
            print(f"asked by {name}: {len(cases)} questions")
            if plain:
                print(f"  what worked among five attempts, without problems: {share(plain)}")
            print(f"  what worked among five, with problems and links: {share(bool(l) and l[0] < 5 for l in linked)}")
            for decay in DECAYS:
                # The program's own decay is taken out first.
                own = 0.9 ** (1 + place)
                passes = [bool(l) and l[0] < 5 and l[1] / own * decay ** (1 + place) >= given.gate for l in linked]
                print(f"    decay {decay:.1f}: served {share(passes)}")
        foreign = [hits(ken, home, entry["symptoms"][0], ["problem", "tactic"]) for entry in unknown]
        print(f"never remembered: {len(foreign)} questions")
        for decay in DECAYS:
            # The best problem, whose attempts would be served.
            of_problems = ([one[2] for one in found if one[1] == "problem"] for found in foreign)
            best = [max(relevances, default=0) for relevances in of_problems]
            print(f"    decay {decay:.1f}: an attempt served {share(b * decay >= given.gate for b in best)}")


main()
