#!/usr/bin/env python3
"""Fits the weights of `src/memory/revising/mod.rs`, which tell what a saying revises of what was said before it.

    python3 benches/memory/fit_revising.py TURNS [--write]

TURNS are JSON lines of labelled turns: {memory, session, seq, text, sets, changes}, as in memory-sgd-dev (made of the
Schema-Guided Dialogue set, CC BY-SA 4.0). A turn revises an earlier one of its session if it changes a value that the
earlier one set or changed. Fitted on the memories with even numbers, and on the hand-written pairs of
`revisions.jsonl` beside this script, which are about other things than bookings and count EXAMPLE_WEIGHT each. Odd
memories are only scored, and only with --odd.

Logistic regression, L2 penalty L2, by Newton's method. What is looked for is read from the Rust tables, so that both
sides count the same; a test in Rust compares the chances that are written into `revisions.jsonl`. `--write` puts the
weights into the Rust table and the chances into `revisions.jsonl`; else they are shown. Standard library only;
it takes a minute.
"""

import json
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
CODE = HERE.parent.parent / "src/memory/revising"
SIGNS, TABLE, EXAMPLES = CODE / "signs.rs", CODE / "weights.rs", HERE / "revisions.jsonl"
L2, ROUNDS, EXAMPLE_WEIGHT = 1.0, 15, 4.0
# As in the Rust module.
LOOKED_AT, MOST_EARLIER, CALL_WORDS = 600, 12, 4
MOST_COMMON, MOST_BETWEEN, MOST_WORDS = 2, 8, 80
FEATURES = [
    *("bias", "kind", "loose", "place", "common", "between", "latest", "change", "no_value", "length"),
    "earlier_length",
]


def string(text):
    return "".join(re.findall(r'r"([^"]*)"', text))


def table(text, name):
    return text[text.index(f"const {name}:") :].split("\n];", 1)[0].split("];", 1)[0]


CODED = SIGNS.read_text(encoding="utf-8")
MONTH = string(CODED[CODED.index("const MONTH") :].split(");", 1)[0])
CHANGE = re.compile(string(CODED[CODED.index("const CHANGE") :].split(");", 1)[0]), re.A)
KINDS = []
KIND = r"kind\(\s*(concat!\(.*?\n        \),|r\"[^\"]*\",)\s*(true|false),?\s*\)"
for row in re.findall(KIND, table(CODED, "KINDS"), re.S):
    KINDS.append((re.compile(string(row[0]).replace("{month}", MONTH), re.A), row[1] == "true"))
PREPOSITIONS, CALLS, NO_NAMES, EMPTY = (
    set(re.findall(r'"([a-z\']+)"', table(CODED, name))) for name in ("PREPOSITIONS", "CALLS", "NO_NAMES", "EMPTY")
)
assert len(KINDS) == 5 and "on" in PREPOSITIONS and "hey" in CALLS and "i'd" in NO_NAMES and "me" in EMPTY


def lower(text):
    """ASCII alone, as in Rust."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


def flat(text):
    text = text.encode()[:LOOKED_AT].decode(errors="ignore")
    return " ".join(text.replace("\u2019", "'").split())


def stem(word):
    for end in ("ing", "ed", "es", "s"):
        if len(word) > 4 and word.endswith(end):
            return word[: -len(end)]
    return word


def values(text):
    """(kind, value, word before it, word behind it) of a flat text."""
    out, rest = [], text
    is_short = len(text.split()) <= CALL_WORDS
    for number, (pattern, _) in enumerate(KINDS):
        is_name, masked = number == len(KINDS) - 1, rest
        for found in pattern.finditer(rest):
            value = lower(found.group(0)).strip(" .,")
            value = value.removeprefix("the ")
            before, behind = rest[: found.start()], rest[found.end() :]
            if is_name and value not in NO_NAMES:
                inside = len(before) > 1 and before[-1] == " " and re.match(r"[a-z']", before[-2])
                caller = re.search(r"(\w*)$", before[:-1], re.A).group(1) if inside else ""
                if not (inside or is_short and not before.strip()) or lower(caller) in CALLS:
                    continue
            masked = masked[: found.start()] + "\0" * len(found.group(0)) + masked[found.end() :]
            if is_name and value in NO_NAMES:
                continue
            led = [word for word in re.findall(r"[a-z']+", lower(before))[-2:] if word not in ("the", "a")]
            follow = re.findall(r"[a-z']+", lower(behind))
            out.append((number, value, led[-1] if led else "", stem(follow[0]) if follow else ""))
        rest = masked
    return out


def words(text):
    found = (word.rstrip("'-") for word in re.findall(r"[a-z][a-z'-]*", lower(text)))
    return {stem(word) for word in found if word not in EMPTY}


class Saying:
    def __init__(self, text):
        text = flat(text)
        self.values, self.words, self.changes = values(text), words(text), bool(CHANGE.search(text))
        self.length = min(len(text.split()), MOST_WORDS) / 10


def compared(earlier, later):
    """Kinds of which both state another value of the same matter, kinds of other values, whether in the same place."""
    firm, loose, place = set(), set(), False
    for kind, value, before, behind in earlier.values:
        for other, other_value, other_before, other_behind in later.values:
            if kind != other or value == other_value:
                continue
            same = before == other_before and before in PREPOSITIONS
            place |= same
            if same or KINDS[kind][1] or behind and behind == other_behind:
                firm.add(kind)
            else:
                loose.add(kind)
    return firm, loose - firm, place


def features(earlier, later, between):
    """Of a pair, and of what was said between the two."""
    firm, loose, place = compared(earlier, later)
    latest = bool(firm) and not any(compared(one, later)[0] & firm for one in between)
    return [
        1.0,
        float(bool(firm)),
        float(bool(loose) and not firm),
        float(place),
        float(min(len(earlier.words & later.words), MOST_COMMON)),
        min(len(between), MOST_BETWEEN) / 4,
        float(latest),
        float(later.changes),
        float(not later.values),
        later.length,
        earlier.length,
    ]


def chance(weights, row):
    return 1 / (1 + math.exp(-sum(w * x for w, x in zip(weights, row))))


def solved(matrix, right):
    """The solution of a small system of equations."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for at in range(len(rows)):
        best = max(range(at, len(rows)), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for row in range(len(rows)):
            if row != at:
                share = rows[row][at] / rows[at][at]
                rows[row] = [a - share * b for a, b in zip(rows[row], rows[at])]
    return [row[-1] / row[at] for at, row in enumerate(rows)]


def fitted(rows):
    """Weights for rows of (features, whether it revises, weight). Equal rows are counted once."""
    counted = {}
    for row, label, weight in rows:
        key = (tuple(row), label)
        counted[key] = counted.get(key, 0.0) + weight
    size = len(FEATURES)
    weights = [0.0] * size
    for _ in range(ROUNDS):
        slope = [-L2 * w for w in weights]
        curve = [[L2 * (i == j) for j in range(size)] for i in range(size)]
        for (row, label), count in counted.items():
            p = chance(weights, row)
            held = [i for i in range(size) if row[i]]
            for i in held:
                slope[i] += count * (label - p) * row[i]
                for j in held:
                    curve[i][j] += count * p * (1 - p) * row[i] * row[j]
        weights = [w + step for w, step in zip(weights, solved(curve, slope))]
    return weights


def pairs(path, parity):
    """(memory's number, features, whether it revises, ids) of each turn with those before it in its session."""
    sessions, out = {}, []
    for line in open(path, encoding="utf-8"):
        turn = json.loads(line)
        if int(re.sub(r"\D", "", turn["memory"])) % 2 == parity:
            sessions.setdefault((turn["memory"], turn["session"]), []).append(turn)
    for (memory, _), turns in sessions.items():
        said = [Saying(turn["text"]) for turn in turns]
        for late, turn in enumerate(turns):
            for early in range(max(0, late - MOST_EARLIER), late):
                before = turns[early]
                revises = bool(set(turn["changes"]) & {*before["sets"], *before["changes"]})
                row = features(said[early], said[late], said[early + 1 : late])
                out.append((int(re.sub(r"\D", "", memory)), row, revises, (before["id"], turn["id"])))
    return out


def scored(name, found):
    """Average precision, and what each least chance gives. `found` has chances and labels."""
    ranked, right, total = sorted(found, reverse=True), 0, 0.0
    every = sum(label for _, label in found)
    for place, (_, label) in enumerate(ranked, 1):
        right += label
        total += label * right / place
    print(f"{name}: {len(found)} pairs, {every} revise; average precision {total / every:.3f}")
    for least in (0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
        kept = [label for p, label in found if p >= least]
        precision, recall = sum(kept) / max(1, len(kept)), sum(kept) / every
        print(f"  from {least}: {len(kept)}, precision {precision:.3f}, recall {recall:.3f}")


def main():
    rows = pairs(sys.argv[1], 0)
    examples = [json.loads(line) for line in open(EXAMPLES, encoding="utf-8")]
    read = [features(Saying(one["earlier"]), Saying(one["later"]), []) for one in examples]
    own = [(row, one["revises"], EXAMPLE_WEIGHT) for row, one in zip(read, examples)]
    crossed = []
    for fold in range(5):
        model = fitted([(row, label, 1.0) for number, row, label, _ in rows if number // 2 % 5 != fold] + own)
        crossed += [(chance(model, row), label) for number, row, label, _ in rows if number // 2 % 5 == fold]
    scored("even, cross-validated", crossed)
    weights = [round(w, 2) + 0.0 for w in fitted([(row, label, 1.0) for _, row, label, _ in rows] + own)]
    scored("examples", [(chance(weights, row), one["revises"]) for row, one in zip(read, examples)])
    if "--odd" in sys.argv:
        scored("odd, held out", [(chance(weights, row), label) for _, row, label, _ in pairs(sys.argv[1], 1)])
    if "--write" in sys.argv:
        lines = [f"    {weight:.2f}, // {name}\n" for weight, name in zip(weights, FEATURES)]
        text = TABLE.read_text(encoding="utf-8")
        text = re.sub(r"(= \[\n)[^\]]*(\];)", lambda match: match[1] + "".join(lines) + match[2], text)
        TABLE.write_text(text, encoding="utf-8")
        with open(EXAMPLES, "w", encoding="utf-8") as out:
            for one, row in zip(examples, read):
                one["chance"] = round(chance(weights, row), 3)
                out.write(json.dumps(one, ensure_ascii=False) + "\n")
    else:
        for name, weight in zip(FEATURES, weights):
            print(f"{weight:6.2f}  {name}")


if __name__ == "__main__":
    main()
