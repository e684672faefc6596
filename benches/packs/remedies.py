"""Real messages from issue trackers: does the right entry come first, and does it show the remedy?

    python3 benches/packs/remedies.py KEN [CASES] [--misses] [--out ANSWERS]

CASES are lines of JSON (tests/remedies/trackers.jsonl if not said). Their fields: text, the message; fix, what was
accepted in the tracker; fix_keywords, words that a text with this remedy contains; expect, the entries that know the
cause; source, the thread.

"first" counts the cases whose first hit is one of `expect`. "remedy" counts those whose first hit shows one of
`fix_keywords` in its cause or steps. Words are only a hint, so a person reads ANSWERS, which puts message, accepted
remedy and answer side by side. "sure of something else" counts wrong first hits with a relevance over 60 %.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys

arguments = [one for one in sys.argv[1:] if one != "--misses"]
answers = None
if "--out" in arguments:
    at = arguments.index("--out")
    answers = open(arguments[at + 1], "w", encoding="utf-8")
    del arguments[at : at + 2]
ken = arguments[0]
here = pathlib.Path(__file__).parent
cases = arguments[1] if len(arguments) > 1 else here.parent.parent / "tests/remedies/trackers.jsonl"


def shown(hit):
    steps = [step if isinstance(step, str) else step.get("text", "") for step in hit.get("fix", [])]
    return " ".join([hit.get("cause", ""), *steps]).lower()


counts = collections.defaultdict(collections.Counter)
for line in open(cases, encoding="utf-8"):
    case = json.loads(line)
    text = case["text"].encode()
    ran = subprocess.run([ken, "lookup", "--json", "-"], input=text, capture_output=True, env=os.environ)
    results = json.loads(ran.stdout)["results"] if ran.stdout else []
    hit = next((hit for result in results for hit in result["hits"][:1]), None)
    first = hit is not None and hit["id"] in case["expect"]
    remedy = first and any(word.lower() in shown(hit) for word in case["fix_keywords"])
    sure = hit is not None and not first and hit["relevance"] > 0.6
    for kind in ("all", case["domain"]):
        counts[kind].update(cases=1, first=first, remedy=remedy, sure=sure)
    if answers:
        kept = {name: case[name] for name in ("id", "text", "fix", "expect", "source")}
        answers.write(json.dumps({**kept, "answer": hit}, ensure_ascii=False) + "\n")
    if "--misses" in sys.argv and not (first and remedy):
        print(case["id"], "wants", "|".join(case["expect"]), "got", hit and hit["id"], "" if first else "(not first)")
print(f"{'':16} cases   first  remedy  sure of something else")
for kind, count in sorted(counts.items()):
    share = [f"{100 * count[name] / count['cases']:5.1f} %" for name in ("first", "remedy", "sure")]
    print(f"{kind:16} {count['cases']:5} {' '.join(share)}")
