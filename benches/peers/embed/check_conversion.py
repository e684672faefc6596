"""Compares our conversion of the 8-bit ONNX model with what NumPy and the onnx package make of the same file.

Usage: check_conversion.py model.safetensors [BGE_DIR]
BGE_DIR holds model_int8.onnx and model_f32.onnx (the peers' setup makes both). Every tensor must be equal bit by bit:
dense weights to the initialisers of the f32 file, embedding tables to a direct dequantisation. Prints the count.
"""
import json
import os
import struct
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def read_safetensors(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__")
    body = memoryview(data)[8 + length :]
    return {n: np.frombuffer(body[i["data_offsets"][0] : i["data_offsets"][1]], "<f4").reshape(i["shape"]) for n, i in header.items()}


def main():
    root = sys.argv[2] if len(sys.argv) > 2 else os.path.expanduser("~/.cache/ken-peers/bge")
    ours = read_safetensors(sys.argv[1])
    plain = onnx.load(f"{root}/model_f32.onnx").graph
    values = {t.name: numpy_helper.to_array(t) for t in plain.initializer}
    expected = {}
    for node in plain.node:
        if node.op_type == "MatMul" and node.name.endswith("_f32"):
            name = node.name.removeprefix("/").split("/MatMul")[0].replace("/", ".") + ".weight"
            expected[name] = values[node.input[1]].T
    for name, value in values.items():
        if name.endswith("_quantized"):
            base = name.removesuffix("_quantized")
            zero = values[base + "_zero_point"].astype(np.int32)
            expected[base] = ((value.astype(np.int32) - zero) * values[base + "_scale"]).astype(np.float32)
        elif name.startswith(("encoder.", "embeddings.")) and not name.endswith(("_scale", "_zero_point")):
            expected[name] = value
    assert sorted(expected) == sorted(ours), set(expected) ^ set(ours)
    for name, value in expected.items():
        assert value.shape == ours[name].shape and np.array_equal(value.view(), ours[name]), name
    print(f"{len(ours)} tensors are equal bit by bit")


main()
