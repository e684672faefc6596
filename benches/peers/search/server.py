#!/usr/bin/env python3
"""The search of peer.py behind uvicorn, as one would serve it: GET /search?q=QUESTION gives ids with scores as JSON.

    uvicorn --app-dir benches/peers/search --port 7718 --no-access-log server:app

SET names a folder with corpus.jsonl; its vectors are kept in PEER_CACHE. The work runs in a pool of two threads, for
ONNX Runtime and the index give up Python's lock. benches/service/load.py asks it.
"""

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs

import peer
import Stemmer

ENCODER = peer.Encoder(1)
DOCUMENTS = peer.lines(os.environ["SET"] + "/corpus.jsonl")
TEXTS = [f"{one.get('title') or ''} {one['text']}".strip() for one in DOCUMENTS]
VECTORS = peer.vectors_of(TEXTS, ENCODER, os.environ.get("PEER_CACHE", "/tmp/peer-cache"))
INDEX = peer.Index([one["_id"] for one in DOCUMENTS], TEXTS, VECTORS, Stemmer.Stemmer("english"))
POOL = ThreadPoolExecutor(2)


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    question = parse_qs(scope["query_string"].decode())["q"][0]
    work = lambda: INDEX.search(question, ENCODER, peer.PREFIX, 5)[0]
    found = await asyncio.get_running_loop().run_in_executor(POOL, work)
    body = json.dumps({"hits": [{"id": id, "score": score} for id, score in found]}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
