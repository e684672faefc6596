"""Runs `ken bench embed` against ONNX Runtime (int8 and f32) and stock candle on the same weights and texts, in turns.

Usage: peers.py KEN TEXTS.txt [--rounds 5] [--threads 2] [--candle BENCH] [--model NAME] [--out FILE]
KEN is the built program, whose home (KEN_HOME) holds the model; TEXTS holds one passage a line. BENCH is the program of
`cargo bench --bench embed --no-run`, for candle's own BertModel (KEN_TEST_HOME holds its model). Needs onnxruntime,
tokenizers and numpy, and ~/.cache/ken-peers/bge (or $KEN_PEERS/bge) with model_int8.onnx, model_f32.onnx and
tokenizer.json. Every round runs all engines once, each in a process of its own, in a new order. Prints a JSON object an
engine and round, then medians and ratios: tokens/s as ours over theirs, query p50 as ours over theirs.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

QUERY = "Error creating S3 bucket: BucketAlreadyExists: the requested bucket name is not available"  # 22 tokens


def onnx(precision, texts, threads):
    """One measurement of ONNX Runtime in this process: sorted by length, at most 4,096 padded tokens a batch."""
    import numpy as np
    import onnxruntime as ort
    from tokenizers import Tokenizer

    root = os.environ.get("KEN_PEERS", os.path.expanduser("~/.cache/ken-peers")) + "/bge"
    start = time.perf_counter()
    tokenizer = Tokenizer.from_file(root + "/tokenizer.json")
    tokenizer.enable_truncation(512)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(f"{root}/model_{precision}.onnx", options)
    load = time.perf_counter() - start

    def forward(rows):
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, inputs)[0][:, 0]
        return hidden / np.linalg.norm(hidden, axis=1, keepdims=True)

    def encode(lines):
        rows = sorted((e.ids for e in tokenizer.encode_batch(lines)), key=len)
        at = 0
        while at < len(rows):
            size = max(1, min(32, 4096 // len(rows[min(at + 31, len(rows) - 1)])))
            forward(rows[at : at + size])
            at += size
        return sum(map(len, rows))

    laps = []
    for _ in range(60):
        start = time.perf_counter()
        encode([QUERY])
        laps.append((time.perf_counter() - start) * 1e3)
    speeds = []
    for _ in range(3):
        start = time.perf_counter()
        tokens = encode(texts)
        speeds.append(tokens / (time.perf_counter() - start))
    laps.sort()
    print(json.dumps({"tokens": tokens, "tokens_per_s": statistics.median(speeds), "query_p50_ms": laps[30],
                      "query_p95_ms": laps[57], "load_ms": load * 1e3}))


def last_object(command, **extra):
    out = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **extra})
    if out.returncode:
        sys.exit(f"{command}: {out.stderr}")
    return json.loads(out.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ken")
    parser.add_argument("texts")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--candle")
    parser.add_argument("--model", default="bge-small-en-v1.5-int8")
    parser.add_argument("--out")
    parser.add_argument("--only-onnx", choices=["int8", "f32"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only_onnx:
        lines = [line for line in open(args.texts, encoding="utf-8").read().splitlines() if line]
        return onnx(args.only_onnx, lines, args.threads)
    ken = [args.ken, "bench", "embed", "--json", "--model", args.model, "--texts", args.texts]
    us = {"KEN_THREADS": str(args.threads)}
    this = [sys.executable, __file__, args.ken, args.texts, "--threads", str(args.threads), "--only-onnx"]
    engines = {
        "ken int8": lambda: last_object([*ken, "--precision", "int8"], **us),
        "ken f32": lambda: last_object([*ken, "--precision", "f32"], **us),
        "onnxruntime int8": lambda: last_object([*this, "int8"]),
        "onnxruntime f32": lambda: last_object([*this, "f32"]),
    }
    if args.candle:
        engines["candle stock f32"] = lambda: last_object([args.candle, args.texts, "--stock", "--repeat", "1"])
    seen = {name: [] for name in engines}
    for number in range(args.rounds):
        for name in random.Random(number).sample(sorted(engines), len(engines)):
            result = engines[name]()
            seen[name].append(result)
            print(json.dumps({"round": number, "engine": name, **result}), flush=True)
    middle = lambda name, what: statistics.median(r[what] for r in seen[name])
    summary = {}
    for ours, theirs in [("ken int8", n) for n in engines if n != "ken int8"] + [("ken f32", "onnxruntime f32")]:
        pairs = [(a["tokens_per_s"] / b["tokens_per_s"], a["query_p50_ms"] / b["query_p50_ms"]) for a, b in zip(seen[ours], seen[theirs])]
        summary[f"{ours} / {theirs}"] = {"tokens_per_s": round(statistics.median(p[0] for p in pairs), 2),
                                         "query_p50": round(statistics.median(p[1] for p in pairs), 2)}
    medians = {name: {what: round(middle(name, what), 2) for what in ("tokens_per_s", "query_p50_ms", "query_p95_ms")} for name in engines}
    final = json.dumps({"medians": medians, "ratios": summary})
    print(final)
    if args.out:
        open(args.out, "w").write(final + "\n")


main()
