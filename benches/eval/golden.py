"""Expected values for the test of `src/eval/retrieval/metrics.rs`, from trec_eval through pytrec_eval.

A small run with ties (also such as only double precision tells apart), graded and negative judgements, a query without
judgements, one that the run lacks, and one that nothing answers. Prints the table that the test holds.

    pip install pytrec_eval
    python benches/eval/golden.py
"""

import pytrec_eval

JUDGED = {
    "graded": {"d1": 3, "d2": 2, "d3": 0, "d4": 1, "d9": 2, "d5": -1},
    "ties": {"b": 1, "d": 1, "e": 2},
    "close": {"x": 1, "z": 1},
    "missing": {"d1": 1},
    "nothing": {"d1": 0},
    "deep": {f"n{i:02}": 1 + i // 3 % 3 for i in range(0, 20, 3)},
    "easy": {"d1": 2, "d2": 1},
}
RUN = {
    "graded": {"d3": 9.0, "d1": 8.0, "d5": 7.5, "d4": 7.0, "d8": 6.0, "d2": 5.0},
    "ties": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5, "e": 0.5, "f": 0.25},
    "close": {"x": 0.1, "y": 0.1 + 1e-12, "z": 0.05},
    "nothing": {"d1": 1.0, "d2": 0.5},
    "unjudged": {"d1": 1.0},
    "deep": {f"n{i:02}": float((i * 9) % 20) for i in range(20)},
    "easy": {"d1": 2.0, "d3": 1.5, "d2": 1.0},
}
NAMES = {
    "ndcg_cut.1,3,10": ["ndcg_cut_1", "ndcg_cut_3", "ndcg_cut_10"],
    "recip_rank": ["recip_rank"],
    "map": ["map"],
    "recall.1,3,10": ["recall_1", "recall_3", "recall_10"],
    "P.1,3,10": ["P_1", "P_3", "P_10"],
    "success.1,3,10": ["success_1", "success_3", "success_10"],
}

for binary in (False, True):
    judged = {q: {d: int(g > 0) if binary else g for d, g in all.items()} for q, all in JUDGED.items()}
    found = pytrec_eval.RelevanceEvaluator(judged, set(NAMES)).evaluate(RUN)
    columns = [column for names in NAMES.values() for column in names]
    print("binary" if binary else "graded", columns)
    for query in JUDGED:
        if query in found:
            print(f'("{query}", [' + ", ".join(f"{found[query][c]:.4f}" for c in columns) + "]),")
