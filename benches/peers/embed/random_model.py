"""Writes a model directory of random weights, to measure the speed of a shape whose weights cannot be had.

Usage: random_model.py SHAPE OUT, with SHAPE one of: base (BERT, 768 wide, 12 layers), large (BERT, 1024, 24),
m3 (XLM-R, 1024, 24, 250,002 tokens), e5-small-multilingual (BERT, 384, 12, 250,037 tokens). The tokenizer is a WordPiece over the
word list of the machine's Python sources for the BERTs, a Unigram trained on the same for the others. Needs numpy and
tokenizers. `ken --model OUT bench embed --texts TEXTS.txt` measures it; speed does not depend on the weights' values.
"""
import json
import pathlib
import sys
import sysconfig

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

SHAPES = {
    "base": dict(hidden=768, layers=12, heads=12, inner=3072, vocab=30522, xlmr=False),
    "large": dict(hidden=1024, layers=24, heads=16, inner=4096, vocab=30522, xlmr=False),
    "m3": dict(hidden=1024, layers=24, heads=16, inner=4096, vocab=250002, xlmr=True),
    "e5-small-multilingual": dict(hidden=384, layers=12, heads=12, inner=1536, vocab=250037, xlmr=False),
}


def corpus():
    for path in sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:120]:
        yield path.read_text(encoding="utf-8", errors="replace")


def tokenizer(shape):
    special = ["<s>", "<pad>", "</s>", "<unk>"] if shape["vocab"] > 100_000 else ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    if shape["vocab"] > 100_000:
        made = Tokenizer(models.Unigram())
        made.normalizer = normalizers.NFKC()
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.train_from_iterator(corpus(), trainers.UnigramTrainer(vocab_size=16000, special_tokens=special, unk_token="<unk>"))
        first, last = "<s>", "</s>"
    else:
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer()
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.train_from_iterator(corpus(), trainers.WordPieceTrainer(vocab_size=16000, special_tokens=special))
        first, last = "[CLS]", "[SEP]"
    made.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", special_tokens=[(t, made.token_to_id(t)) for t in (first, last)])
    return made


def main():
    shape, out = SHAPES[sys.argv[1]], pathlib.Path(sys.argv[2])
    (out / "1_Pooling").mkdir(parents=True, exist_ok=True)
    tokenizer(shape).save(str(out / "tokenizer.json"))
    h, f, positions = shape["hidden"], shape["inner"], 514 if shape["xlmr"] else 512
    if shape["xlmr"]:
        positions = 8194
    types = 1 if shape["xlmr"] else 2
    config = {"model_type": "xlm-roberta" if shape["xlmr"] else "bert", "hidden_size": h, "num_hidden_layers": shape["layers"],
              "num_attention_heads": shape["heads"], "intermediate_size": f, "vocab_size": shape["vocab"],
              "max_position_embeddings": positions, "type_vocab_size": types, "hidden_act": "gelu",
              "layer_norm_eps": 1e-5 if shape["xlmr"] else 1e-12, "pad_token_id": 1 if shape["xlmr"] else 0,
              "hidden_dropout_prob": 0.1, "architectures": ["XLMRobertaModel" if shape["xlmr"] else "BertModel"]}
    (out / "config.json").write_text(json.dumps(config))
    (out / "modules.json").write_text(json.dumps([
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]))
    (out / "1_Pooling/config.json").write_text(json.dumps(
        {"word_embedding_dimension": h, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False,
         "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False}))
    (out / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 512, "do_lower_case": False}))
    tensors = [("embeddings.word_embeddings.weight", (shape["vocab"], h)), ("embeddings.position_embeddings.weight", (positions, h)),
               ("embeddings.token_type_embeddings.weight", (types, h)),
               ("embeddings.LayerNorm.weight", (h,)), ("embeddings.LayerNorm.bias", (h,))]
    for i in range(shape["layers"]):
        at = f"encoder.layer.{i}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            tensors += [(at + name + ".weight", (h, h)), (at + name + ".bias", (h,))]
        tensors += [(at + "attention.output.LayerNorm.weight", (h,)), (at + "attention.output.LayerNorm.bias", (h,)),
                    (at + "intermediate.dense.weight", (f, h)), (at + "intermediate.dense.bias", (f,)),
                    (at + "output.dense.weight", (h, f)), (at + "output.dense.bias", (h,)),
                    (at + "output.LayerNorm.weight", (h,)), (at + "output.LayerNorm.bias", (h,))]
    header, end = {}, 0
    for name, size in tensors:
        length = 4 * int(np.prod(size))
        header[name] = {"dtype": "F32", "shape": list(size), "data_offsets": [end, end + length]}
        end += length
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    random = np.random.default_rng(1)
    with open(out / "model.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, size in tensors:
            if name.endswith("LayerNorm.weight"):
                values = np.ones(size, np.float32)
            else:
                values = random.standard_normal(size, dtype=np.float32) * np.float32(0.03)
            file.write(values.tobytes())


main()
