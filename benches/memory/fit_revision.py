#!/usr/bin/env python3
"""Fits how likely it is that a new statement replaces one that stands: src/memory/revision/weights.rs.

    python3 benches/memory/fit_revision.py DATA             cross-validated figures
    python3 benches/memory/fit_revision.py DATA --weights   and the tables of weights.rs
    python3 benches/memory/fit_revision.py --golden         features of some pairs, which a Rust test compares

DATA is a folder with two files of JSON lines: statements.jsonl ({id, text}) and updates.jsonl ({project, new, old,
live}). In `project` the statement `new` came in while those of `live` stood. It replaced `old`, or nothing (null).

Figures leave one project out: neither weights nor threshold saw the project that they are measured on.
  hit@1  the statement ranked first is the replaced one
  AUC    updates against additions, by the probability of the closest statement
  F1     the closest is the replaced one and its probability reaches the threshold
They are printed for the standing sets as they are, and for small ones: 1 to 21 of them, with the replaced one.
The fit is on both, so that the weights do not depend on the size of the set.

The features are those of src/memory/revision/features.rs, in the same order. Standard library only.
"""

import argparse
import collections
import json
import math
import os
import random

STOP = set(
    "a an and are as at be been but by can could did do does for from had has have how if in into is it its may must "
    "no not of on only or our should so such than that the their then there these they this to was we were what when "
    "where which while who will with would you your all any each every other new also both more most before after "
    "between over under per via using use used".split()
)
# A standing set is small, so this many statements of general English are counted with it. A word of STOP stands in the
# first share of them, any other word in the second.
PRIOR_STATEMENTS = 30
STOP_SHARE, OTHER_SHARE = 0.3, 0.01
MAX_WORDS, MAX_CHARS, SUBJECT_CHARS, BEGINNING_WORDS = 512, 2048, 80, 6
SHORTLIST = 12
# The second candidate is never counted as worse than this, and a missing one as this.
LEAST_SCORE, MOST_MARGIN = -6.0, 8.0
FEATURES = ["overlap", "order", "trigrams", "beginning", "same_subject", "rarest_common"]
SEPARATORS = [":**", "**:", ": ", " - ", " – ", " — ", " -- ", "→", "->", "=>"]
RIDGE, RIDGE_OF_DECISION = 1.0, 0.1
SMALL_SETS = [1, 2, 3, 5, 8, 13, 21]


def is_spaceless(c):
    n = ord(c)
    return (
        0x0E00 <= n <= 0x0EFF or 0x1000 <= n <= 0x109F or 0x1780 <= n <= 0x17FF or 0x2E80 <= n <= 0x9FFF
        or 0xF900 <= n <= 0xFAFF or 0x20000 <= n <= 0x3FFFF
    )


def words(text):
    """Runs of letters and digits in small letters; of scripts without spaces each character."""
    out, word = [], []
    for c in text:
        if c.isalnum() and not is_spaceless(c):
            word.append(c.lower())
            continue
        if word:
            out.append("".join(word))
            word = []
        if c.isalnum():
            out.append(c)
    if word:
        out.append("".join(word))
    return out[:MAX_WORDS]


def trigrams(text):
    """Of small letters, with one space between words, without marks of Markdown."""
    plain = "".join(c for c in text if c not in "*`#>")
    plain = f" {' '.join(plain.lower().split())[:MAX_CHARS]} "
    return collections.Counter(plain[i : i + 3] for i in range(len(plain) - 2))


def subject(text):
    """What stands before the first separator; nothing if there is none near the beginning."""
    window = text.lstrip(" \t\n*-+#>")[:SUBJECT_CHARS]
    return window[: min((at for at in map(window.find, SEPARATORS) if at > 0), default=0)]


def common_subsequence(a, b):
    """Length of the longest common subsequence, by the bits of one long number."""
    if not a or not b:
        return 0
    at = {}
    for i, x in enumerate(a):
        at[x] = at.get(x, 0) | 1 << i
    mask = (1 << len(a)) - 1
    row = mask
    for y in b:
        found = row & at.get(y, 0)
        row = ((row + found) | (row - found)) & mask
    return len(a) - bin(row).count("1")


def dice(a, b, weight=lambda _: 1.0):
    def total(counts):
        return sum(weight(x) * n for x, n in counts.items())

    whole = total(a) + total(b)
    return 2 * total(a & b) / whole if whole else 0.0


class Statement:
    def __init__(self, text):
        self.words = words(text)
        self.counts = collections.Counter(self.words)
        # A change of a number is a change of nothing else.
        self.masked = ["0" if word[0].isdecimal() and word[0].isascii() else word for word in self.words]
        self.trigrams = trigrams(text)
        self.subject = words(subject(text))


class Rarity:
    def __init__(self, standing):
        self.n = len(standing)
        self.holding = collections.Counter()
        for one in standing:
            self.holding.update(one.counts.keys())

    def of(self, word):
        prior = PRIOR_STATEMENTS * (STOP_SHARE if word in STOP else OTHER_SHARE)
        return math.log(1 + (self.n + PRIOR_STATEMENTS) / (self.holding[word] + prior))


def features(new, old, rarity):
    a, b = new.words, old.words
    beginning = 0
    while beginning < min(len(a), len(b), BEGINNING_WORDS) and a[beginning] == b[beginning]:
        beginning += 1
    length = len(a) + len(b)
    return [
        dice(new.counts, old.counts, rarity.of),
        2 * common_subsequence(new.masked, old.masked) / length if length else 0.0,
        dice(new.trigrams, old.trigrams),
        beginning / BEGINNING_WORDS,
        float(bool(new.subject) and new.subject == old.subject),
        max((rarity.of(word) for word in new.counts if word in old.counts), default=0.0),
    ]


def shortlist(new, standing, rarity):
    overlap = [dice(new.counts, one.counts, rarity.of) for one in standing]
    return sorted(range(len(standing)), key=lambda i: -overlap[i])[:SHORTLIST]


# ---- fit and figures -------------------------------------------------------------------------------------------------


def sigmoid(z):
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solve(matrix, right):
    n = len(right)
    rows = [row[:] + [x] for row, x in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            q = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= q * rows[i][c]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (rows[i][n] - sum(rows[i][c] * x[c] for c in range(i + 1, n))) / rows[i][i]
    return x


def logistic(xs, ys, ridge):
    """Bias and weights by Newton's method; the bias is not held back."""
    xs = [[1.0, *x] for x in xs]
    n = len(xs[0])
    w = [0.0] * n
    for _ in range(20):
        hessian = [[0.0] * n for _ in range(n)]
        gradient = [0.0] * n
        for x, y in zip(xs, ys):
            p = sigmoid(dot(w, x))
            for i in range(n):
                gradient[i] += (y - p) * x[i]
                v = max(p * (1 - p), 1e-9) * x[i]
                for j in range(n):
                    hessian[i][j] += v * x[j]
        for i in range(1, n):
            hessian[i][i] += ridge
            gradient[i] -= ridge * w[i]
        step = solve(hessian, gradient)
        w = [a + b for a, b in zip(w, step)]
        if max(map(abs, step)) < 1e-6:
            break
    return w


class Case:
    """A new statement and its candidates: whether each was replaced, and the features of the pair."""

    def __init__(self, row, live, statements):
        new, standing = statements[row["new"]], [statements[i] for i in live]
        rarity = Rarity(standing)
        self.project, self.is_update = row["project"], row["old"] is not None
        places = shortlist(new, standing, rarity)
        self.candidates = [
            (live[i] == row["old"], features(new, standing[i], rarity), standing[i].words) for i in places
        ]


def read(folder):
    with open(os.path.join(folder, "statements.jsonl"), encoding="utf-8") as lines:
        statements = {row["id"]: Statement(row["text"]) for row in map(json.loads, lines)}
    with open(os.path.join(folder, "updates.jsonl"), encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rng = random.Random(1)
    whole, small = [], []
    for row in rows:
        live = list(row["live"])
        if not live:
            continue
        whole.append(Case(row, live, statements))
        few = rng.sample(live, min(rng.choice(SMALL_SETS), len(live)))
        if row["old"] is not None and row["old"] not in few:
            few[0] = row["old"]
        small.append(Case(row, few, statements))
    return whole, small


def decide(case, pair):
    """Whether the closest is the replaced one, its score and its margin."""
    scored = [(pair[0] + dot(pair[1:], x), hit, said) for hit, x, said in case.candidates]
    best, hit, said = max(scored, key=lambda one: one[0])
    # A statement that stands twice is no rival of itself.
    second = max([LEAST_SCORE] + [score for score, _, other in scored if other != said])
    return hit, [best, max(0.0, min(MOST_MARGIN, best - second))]


def fit(cases):
    """Weights of a pair and those of the decision."""
    pairs = [(x, hit) for case in cases for i, (hit, x, _) in enumerate(case.candidates) if i < 4 or hit]
    pair = logistic([x for x, _ in pairs], [float(hit) for _, hit in pairs], RIDGE)
    decided = [decide(case, pair) for case in cases]
    decision = logistic([x for _, x in decided], [float(hit) for hit, _ in decided], RIDGE_OF_DECISION)
    return pair, decision


def judged(cases, pair, decision):
    out = []
    for case in cases:
        hit, x = decide(case, pair)
        out.append((sigmoid(decision[0] + dot(decision[1:], x)), hit, case.is_update))
    return out


def auc(results):
    ordered = sorted((p, is_update) for p, _, is_update in results)
    ranks, i = 0.0, 0
    while i < len(ordered):
        j = i
        while j < len(ordered) and ordered[j][0] == ordered[i][0]:
            j += 1
        ranks += sum(is_update for _, is_update in ordered[i:j]) * (i + j + 1) / 2
        i = j
    positive = sum(is_update for _, is_update in ordered)
    return (ranks - positive * (positive + 1) / 2) / (positive * (len(ordered) - positive))


def f1(results, threshold):
    told = [hit for p, hit, _ in results if p >= threshold]
    updates = sum(is_update for _, _, is_update in results)
    return 2 * sum(told) / (len(told) + updates), sum(told) / max(1, len(told)), sum(told) / updates


def report(name, results):
    updates = [hit for _, hit, is_update in results if is_update]
    print(f"{name}: {len(results)} cases, {len(updates)} updates")
    print(f"  hit@1 {sum(updates) / len(updates):.3f}  AUC {auc(results):.4f}")
    for threshold in (0.05, 0.2, 0.5, 0.8):
        score, precision, recall = f1(results, threshold)
        print(f"  threshold {threshold:.2f}: F1 {score:.3f}  precision {precision:.3f}  recall {recall:.3f}")


def table(name, doc, labels, values):
    print(f"\n/// {doc}\npub(super) const {name}: [f32; {len(values)}] = [")
    for label, value in zip(labels, values):
        print(f"    {value:.3f}, // {label}")
    print("];")


GOLDEN = [
    ("Max line length: 88", ["Max line length: 100", "Run `just test` before a commit", "Use tabs"]),
    ("**Tests**: run `uv run pytest -n auto`", ["**Tests**: run `pytest`", "**Lint**: run `uv run ruff`"]),
    ("Never push to main", ["Always push to main", "never push to `main`.", "Größe in Bytes angeben"]),
    ("提交前先运行测试", ["提交前先运行全部测试", "每行最多120个字符"]),
    ("", ["", "a b"]),
]


def golden():
    for new, standing in GOLDEN:
        statements = [Statement(text) for text in standing]
        rarity = Rarity(statements)
        for text, one in zip(standing, statements):
            print(new, "|", text, [round(x, 4) for x in features(Statement(new), one, rarity)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--golden", action="store_true")
    args = parser.parse_args()
    if args.golden:
        return golden()
    if not args.data:
        parser.error("DATA is missing")
    whole, small = read(args.data)
    results = {"as they are": [], "small sets": []}
    for project in sorted({case.project for case in whole}):
        fitted = fit([case for case in whole + small if case.project != project])
        for name, cases in zip(results, (whole, small)):
            results[name] += judged([case for case in cases if case.project == project], *fitted)
    for name, judgements in results.items():
        report(name, judgements)
    if args.weights:
        pair, decision = fit(whole + small)
        table("PAIR", "Bias, then the weight of each feature of a pair.", ["bias", *FEATURES], pair)
        table("DECISION", "Bias, then the weights of the closest's score and of its margin.",
              ["bias", "score", "margin"], decision)


if __name__ == "__main__":
    main()
