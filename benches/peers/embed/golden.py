"""Makes tests/golden/<model>.json: a few components of vectors that other software computes from the same weights.

bge-small-en-v1.5-int8: ONNX Runtime on the f32 file that the peers' setup derives from the packaged 8-bit one.
all-MiniLM-L6-v2: a plain NumPy forward pass over the published safetensors file (no padding, float64).

Usage: golden.py OUT_DIR MINILM_DIR [BGE_DIR]
For each text: tokens, whether it was cut, 16 components spread evenly, and `probe`, the dot product with sin(1), sin(2),
..., in which every component takes part.
"""
import json
import math
import os
import struct
import sys

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

TEXTS = [
    {"role": "query", "text": "terraform says somebody else is holding the lock on the state"},
    {"role": "passage", "text": "Error acquiring the state lock: ConditionalCheckFailedException"},
    {"role": "passage", "text": ""},
    {"role": "passage", "text": "a"},
    {"role": "passage", "text": "Größe überschritten — 文件过大 🚫 ñandú ﬁ ʻokina"},
    {"role": "passage", "text": "fn main() { let v: Vec<u8> = vec![0xff; 1 << 20]; println!(\"{:?}\", &v[..4]); }"},
    {"role": "passage", "text": "error[E0502]: cannot borrow `v` as mutable because it is also borrowed as immutable ", "repeat": 40},
    {"role": "query", "text": "The quick brown fox jumps over the lazy dog. ", "repeat": 18},
]


def bge(root):
    session = ort.InferenceSession(f"{root}/model_f32.onnx")
    tokenizer = Tokenizer.from_file(f"{root}/tokenizer.json")

    def run(ids):
        ids = np.array([ids], np.int64)
        return session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0][0, 0]

    return tokenizer, 512, "Represent this sentence for searching relevant passages: ", run


def minilm(root):
    data = open(f"{root}/model.safetensors", "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]

    def w(name):
        info = header[name]
        kind = {"F32": "<f4", "I64": "<i8"}[info["dtype"]]
        return np.frombuffer(body[slice(*info["data_offsets"])], kind).reshape(info["shape"]).astype(np.float64)

    config = json.load(open(f"{root}/config.json"))
    heads = config["num_attention_heads"]
    erf = np.vectorize(math.erf)

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + config["layer_norm_eps"]) * w(name + ".weight") + w(name + ".bias")

    def dense(x, name):
        return x @ w(name + ".weight").T + w(name + ".bias")

    def run(ids):
        e = "embeddings."
        x = w(e + "word_embeddings.weight")[ids] + w(e + "position_embeddings.weight")[: len(ids)] + w(e + "token_type_embeddings.weight")[0]
        x = norm(x, e + "LayerNorm")
        for i in range(config["num_hidden_layers"]):
            p = f"encoder.layer.{i}."
            split = lambda part: dense(x, p + "attention.self." + part).reshape(len(ids), heads, -1).transpose(1, 0, 2)
            q, k, v = split("query"), split("key"), split("value")
            scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
            x = norm(dense(mixed, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
            up = dense(x, p + "intermediate.dense")
            up = up * 0.5 * (1 + erf(up / math.sqrt(2)))
            x = norm(dense(up, p + "output.dense") + x, p + "output.LayerNorm")
        return x.mean(0)

    return Tokenizer.from_file(f"{root}/tokenizer.json"), 256, "", run


def make(name, by, model, out):
    tokenizer, limit, query, run = model
    tokenizer.no_padding()
    rows = []
    for case in TEXTS:
        text = case["text"] * case.get("repeat", 1)
        tokenizer.no_truncation()
        text = (query if case["role"] == "query" else "") + text
        full = len(tokenizer.encode(text).ids)
        tokenizer.enable_truncation(limit)
        ids = tokenizer.encode(text).ids
        vector = np.asarray(run(ids), np.float64)
        vector /= np.linalg.norm(vector)
        step = len(vector) // 16
        rows.append({**case, "tokens": len(ids), "truncated": full > limit,
                     "components": [round(float(v), 6) for v in vector[::step][:16]],
                     "probe": round(float(vector @ np.sin(np.arange(1, len(vector) + 1))), 6)})
    with open(f"{out}/{name}.json", "w", encoding="utf-8") as f:
        f.write(json.dumps({"model": name, "made_by": by, "dims": len(vector)}, ensure_ascii=False)[:-1] + ', "texts": [\n')
        f.write(",\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n]}\n")


def main():
    out, mini = sys.argv[1:3]
    root = sys.argv[3] if len(sys.argv) > 3 else os.path.expanduser("~/.cache/ken-peers/bge")
    make("bge-small-en-v1.5-int8", f"onnxruntime {ort.__version__}, f32", bge(root), out)
    make("all-MiniLM-L6-v2", "golden.py, NumPy float64", minilm(mini), out)


main()
