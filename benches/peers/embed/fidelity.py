"""How much int8 loses against f32: cosines, and nDCG@10 on retrieval sets.

Usage: fidelity.py KEN SET_DIR... [--model NAME]
SET_DIR holds corpus.jsonl (_id, title, text), queries.jsonl (_id, text) and qrels/test.tsv (query, document, score).
Every text is encoded twice by `ken bench embed --vectors` (KEN_HOME holds the model), without prefixes, at both
precisions. Prints the mean and least cosine between the two and nDCG@10 (binary, exact search) of each. Needs numpy.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np


def encode(ken, model, precision, texts, folder):
    path, out = os.path.join(folder, "texts"), os.path.join(folder, "vectors")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(" ".join(text.split()) + "\n" for text in texts)
    command = [ken, "bench", "embed", "--json", "--model", model, "--precision", precision, "--texts", path]
    subprocess.run([*command, "--repeat", "1", "--queries", "0", "--vectors", out], check=True, capture_output=True)
    return np.fromfile(out, "<f4").reshape(len(texts), -1).astype(np.float64)


def ndcg(scores, order, relevant):
    gain = lambda flags: sum(flag / np.log2(i + 2) for i, flag in enumerate(flags))
    found = gain([order[i] in relevant for i in np.argsort(-scores, kind="stable")[:10]])
    return found / gain([1] * min(10, len(relevant)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ken")
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--model", default="bge-small-en-v1.5-int8")
    args = parser.parse_args()
    cosines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets:
            read = lambda file: [json.loads(line) for line in open(os.path.join(name, file), encoding="utf-8")]
            corpus = [d for d in read("corpus.jsonl") if (d.get("title", "") + d["text"]).strip()]
            qrels = {}
            for line in open(os.path.join(name, "qrels/test.tsv")).read().splitlines()[1:]:
                query, document, score = line.split("\t")
                if int(score) > 0:
                    qrels.setdefault(query, set()).add(document)
            queries = [q for q in read("queries.jsonl") if q["_id"] in qrels]
            texts = [f"{d.get('title', '')} {d['text']}" for d in corpus] + [q["text"] for q in queries]
            f32, int8 = (encode(args.ken, args.model, p, texts, folder) for p in ("f32", "int8"))
            here = (f32 * int8).sum(1)[: len(corpus)]
            cosines.append(here)
            ids, result = [d["_id"] for d in corpus], {"set": os.path.basename(name), "documents": len(corpus)}
            for label, vectors in (("f32", f32), ("int8", int8)):
                scores = vectors[len(corpus) :] @ vectors[: len(corpus)].T
                values = [ndcg(row, ids, qrels[q["_id"]]) for row, q in zip(scores, queries)]
                result[f"ndcg@10 {label}"] = round(float(np.mean(values)), 4)
            result |= {"cosine mean": round(float(here.mean()), 5), "cosine min": round(float(here.min()), 5)}
            print(json.dumps(result), flush=True)
    cosines = np.concatenate(cosines)
    print(json.dumps({"passages": len(cosines), "cosine mean": round(float(cosines.mean()), 5), "cosine min": round(float(cosines.min()), 5)}))


main()
