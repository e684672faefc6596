"""Hybrid search as a user would write it in an afternoon: ONNX Runtime int8, bm25s, hnswlib, reciprocal rank fusion.

Usage: peer.py SET_DIR... [--threads 2] [--warm 50] [--laps 1] [--plain] [--group-by FIELD] [--trec DIR] [--cache DIR]
SET_DIR is a set in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv and, if there is one, unanswerable.jsonl.
The model is bge-small-en-v1.5 from $KEN_PEERS/bge (else ~/.cache/ken-peers/bge); setup.sh installs it and the libraries.
A document is its title and its text, cut at 512 tokens. Documents' vectors are made once and kept in the cache.

Each question, one after another in this process: cut into tokens and embedded (with the prefix that the model's card asks
for; --plain: without), the 100 nearest by hnswlib (M 16, ef_construction 200, ef 200), the 100 best by bm25s (its defaults,
English stop words and stemmer), the two lists fused (k = 60) and cut at 100. Its time begins with its text and ends with
the ids. --warm questions are asked before the clock runs; --laps asks all of them so often, and every lap counts.
Unanswerable questions are asked and timed too, as `ken bench run` does, and count for no metric.

Prints a JSON object a set: questions a second, p50 and p95 in milliseconds, the parts of a question's time, nDCG@10. The
metric is trec_eval's, as in src/eval/retrieval/metrics.rs: the gain is the grade, ties fall by id, a document that is the
question itself is left out. --trec writes SET.peer.trec, which `ken bench run SET --ranking` measures for itself.
"""
import argparse
import hashlib
import json
import math
import os
import time

import bm25s
import hnswlib
import numpy as np
import onnxruntime as ort
import Stemmer
from tokenizers import Tokenizer

PREFIX = "Represent this sentence for searching relevant passages: "
DEPTH = 100
RRF_K = 60
ROOT = os.environ.get("KEN_PEERS", os.path.expanduser("~/.cache/ken-peers"))


class Encoder:
    """bge-small-en-v1.5 int8: CLS pooling, vectors of length 1."""

    def __init__(self, threads):
        self.tokenizer = Tokenizer.from_file(ROOT + "/bge/tokenizer.json")
        self.tokenizer.enable_truncation(512)
        self.tokenizer.no_padding()
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = ort.InferenceSession(ROOT + "/bge/model_int8.onnx", options)

    def forward(self, rows):
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.session.run(None, inputs)[0][:, 0]
        return hidden / np.linalg.norm(hidden, axis=1, keepdims=True)

    def one(self, text):
        return self.forward([self.tokenizer.encode(text).ids])[0]

    def many(self, texts):
        """Sorted by length, at most 32 texts and 4,096 padded tokens a batch."""
        rows = [encoded.ids for encoded in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        out = np.zeros((len(rows), 384), np.float32)
        at = 0
        while at < len(order):
            size = max(1, min(32, 4096 // len(rows[order[min(at + 31, len(order) - 1)]])))
            batch = order[at : at + size]
            at += size
            out[batch] = self.forward([rows[i] for i in batch])
        return out


class Index:
    """Vectors and words of some documents."""

    def __init__(self, ids, texts, vectors, stemmer):
        self.ids, self.stemmer = ids, stemmer
        self.depth = min(DEPTH, len(ids))
        self.near = hnswlib.Index("ip", vectors.shape[1])
        self.near.init_index(len(ids), ef_construction=200, M=16)
        self.near.add_items(vectors)
        self.near.set_ef(200)
        self.near.set_num_threads(1)
        self.words = bm25s.BM25()
        self.words.index(self.tokens(texts), show_progress=False)

    def tokens(self, texts):
        return bm25s.tokenize(texts, stopwords="en", stemmer=self.stemmer, show_progress=False)

    def search(self, text, encoder, prefix, depth):
        """The best documents with their scores, and when each part of the work was done."""
        start = time.perf_counter()
        vector = encoder.one(prefix + text)
        embedded = time.perf_counter()
        near = self.near.knn_query(vector, self.depth)[0][0]
        walked = time.perf_counter()
        said, scores = self.words.retrieve(self.tokens([text]), k=self.depth, show_progress=False)
        said = said[0][scores[0] > 0]
        spoken = time.perf_counter()
        fused = {}
        for found in (near.tolist(), said.tolist()):
            for rank, document in enumerate(found, 1):
                fused[document] = fused.get(document, 0.0) + 1 / (RRF_K + rank)
        best = sorted(fused.items(), key=lambda one: -one[1])[:depth]
        best = [(self.ids[document], score) for document, score in best]
        done = time.perf_counter()
        return best, (done - start, embedded - start, walked - embedded, spoken - walked)


def lines(path):
    with open(path, encoding="utf-8-sig") as file:
        return [json.loads(line) for line in file if line.strip()]


class Set:
    """A set as `ken bench run` reads it."""

    def __init__(self, folder):
        text = lambda value: "" if value is None else value
        read = lambda name: [{**one, "_id": str(one["_id"]), "text": text(one.get("text"))} for one in lines(f"{folder}/{name}")]
        self.name = os.path.basename(os.path.realpath(folder))
        self.documents = [{**one, "title": text(one.get("title"))} for one in read("corpus.jsonl")]
        self.qrels = {}
        with open(f"{folder}/qrels/test.tsv", encoding="utf-8-sig") as file:
            fields = [line.split() for line in file if line.strip()]
        for query, *_, document, grade in fields[fields[0][-1] == "score" :]:
            self.qrels.setdefault(query, {})[document] = int(float(grade))
        self.queries = [query for query in read("queries.jsonl") if query["_id"] in self.qrels]
        has_unanswerable = os.path.exists(f"{folder}/unanswerable.jsonl")
        self.unanswerable = read("unanswerable.jsonl") if has_unanswerable else []

    def own_documents(self):
        """Questions that are documents too: same id, and the document holds the question's text."""
        letters = lambda text: "".join(text.split()).lower()
        texts = {one["_id"]: letters(one["title"]) + letters(one["text"]) for one in self.documents}
        is_own = lambda query: letters(query["text"]) and letters(query["text"]) in texts.get(query["_id"], "")
        return {query["_id"] for query in self.queries + self.unanswerable if is_own(query)}


def ndcg_at_10(grades, ranking):
    """As trec_eval: by score in single precision falling, ties by id falling."""
    order = sorted(sorted(ranking, reverse=True), key=lambda one: -float(np.float32(one[1])))
    gain = lambda values: sum(value / math.log2(at + 2) for at, value in enumerate(values[:10]) if value > 0)
    best = gain(sorted(grades.values(), reverse=True))
    return gain([grades.get(document, 0) for document, _ in order]) / best if best > 0 else 0.0


def vectors_of(texts, encoder, cache):
    """The texts' vectors, from the cache if they were made before."""
    key = hashlib.sha256("\0".join(["bge-small-en-v1.5-int8", *texts]).encode()).hexdigest()[:16]
    path = f"{cache}/{key}.npy"
    if not os.path.exists(path):
        os.makedirs(cache, exist_ok=True)
        np.save(path + ".new.npy", encoder.many(texts))
        os.rename(path + ".new.npy", path)
    return np.load(path)


def indexes(the_set, encoder, args):
    """An index for each group; one for all if nothing is grouped."""
    texts = [(one["title"] + " " + one["text"]).strip() for one in the_set.documents]
    vectors = vectors_of(texts, encoder, args.cache)
    groups = {}
    for at, one in enumerate(the_set.documents):
        groups.setdefault(group(one, args.group_by), []).append(at)
    stemmer = Stemmer.Stemmer("english")
    ids = [one["_id"] for one in the_set.documents]
    make = lambda rows: Index([ids[row] for row in rows], [texts[row] for row in rows], vectors[rows], stemmer)
    return {name: make(rows) for name, rows in groups.items()}


def group(one, field):
    return (one.get("metadata") or {}).get(field) if field else None


def measure(folder, encoder, args):
    the_set = Set(folder)
    by_group = indexes(the_set, encoder, args)
    prefix = "" if args.plain else PREFIX
    own, run, times, parts = the_set.own_documents(), {}, [], []

    def ask(query):
        index = by_group.get(group(query, args.group_by))
        if index is None or not query["text"].strip():
            return [], (0.0,) * 4
        is_own = query["_id"] in own
        found, spent = index.search(query["text"], encoder, prefix, DEPTH + is_own)
        found = [one for one in found if not (is_own and one[0] == query["_id"])][:DEPTH]
        return found, spent

    everything = the_set.queries + the_set.unanswerable
    for at in range(args.warm):
        ask(everything[at % len(everything)])
    for _ in range(args.laps):
        for query in everything:
            found, spent = ask(query)
            run[query["_id"]] = found
            times.append(spent[0] * 1e3)
            parts.append(spent[1:])
    if args.trec:
        os.makedirs(args.trec, exist_ok=True)
        with open(f"{args.trec}/{the_set.name}.peer.trec", "w", encoding="utf-8") as file:
            for query, found in run.items():
                file.writelines(f"{query} Q0 {document} {at} {score!r} peer\n" for at, (document, score) in enumerate(found, 1))
    values = [ndcg_at_10(the_set.qrels[query["_id"]], run[query["_id"]]) for query in the_set.queries]
    at = lambda share: round(float(np.percentile(times, share, method="nearest")), 3)
    means = dict(zip(("embed", "vectors", "words"), np.round(np.mean(parts, axis=0) * 1e3, 3).tolist()))
    return {"engine": "onnxruntime+hnswlib+bm25s", "set": the_set.name, "documents": len(the_set.documents),
            "queries": len(the_set.queries), "unanswerable": len(the_set.unanswerable), "threads": args.threads,
            "queries_per_s": round(1e3 / (sum(times) / len(times)), 1), "p50_ms": at(50), "p95_ms": at(95),
            "mean_ms": {"whole": round(sum(times) / len(times), 3), **means}, "ndcg@10": round(sum(values) / len(values), 4)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warm", type=int, default=50)
    parser.add_argument("--laps", type=int, default=1)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--group-by")
    parser.add_argument("--trec")
    parser.add_argument("--cache", default=ROOT + "/search")
    args = parser.parse_args()
    encoder = Encoder(args.threads)
    for folder in args.sets:
        print(json.dumps(measure(folder, encoder, args)), flush=True)


if __name__ == "__main__":
    main()
