#!/usr/bin/env python3
"""Asks `ken serve` with clients that others wrote: OpenAI's, LangChain's, and that of the Model Context Protocol.

    pip install openai==3.54.0 langchain-openai==1.7.4 mcp==2.3.0
    KEN_HOME=... tests/clients/programs.py target/release/ken

KEN_HOME is a home in which a model is installed. Prints what was asked, and exits with 1 at the first answer that is
not right.
"""

import asyncio
import base64
import struct
import sys
from pathlib import Path

import openai
from langchain_openai import OpenAIEmbeddings
from mcp import Client, ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from checks import expect
from with_service import service

ERROR = "fatal: refusing to merge unrelated histories"
TEXTS = ["Signing keys are rotated every ninety days.", "The banner is blue.", "A request is tried five times."]


def near(a, b):
    return sum(x * y for x, y in zip(a, b))


def ask_as_openai(url, token):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0)
    [model, *_] = [model.id for model in client.models.list().data]
    expect("a model is listed", client.models.retrieve(model).id == model, model)
    usual = client.embeddings.create(model=model, input=TEXTS)
    floats = client.embeddings.create(model=model, input=TEXTS, encoding_format="float")
    expect("three vectors have come", len(usual.data) == 3 and usual.usage.total_tokens > 20, usual.usage)
    same = all(struct.pack("f", a) == struct.pack("f", b)
               for one, other in zip(usual.data, floats.data) for a, b in zip(one.embedding, other.embedding))
    expect("both encodings are the same vectors", same, floats.data[0].embedding[:3])
    raw = client.embeddings.create(model=model, input=TEXTS[0], encoding_format="base64").data[0].embedding
    values = struct.unpack(f"<{len(usual.data[0].embedding)}f", base64.b64decode(raw))
    expect("base64 is little-endian", list(values) == usual.data[0].embedding, values[:3])
    question = client.embeddings.create(model=model, input="how often are keys changed",
                                        extra_body={"input_type": "query"}).data[0].embedding
    order = sorted(range(3), key=lambda at: -near(question, usual.data[at].embedding))
    expect("a question is nearest to its answer", order[0] == 0, order)
    for arguments, error in [({"input": [1, 2]}, openai.BadRequestError), ({"model": "no"}, openai.NotFoundError),
                             ({"dimensions": 7}, openai.BadRequestError)]:
        try:
            got = client.embeddings.create(**{"model": model, "input": "x", **arguments})
            expect(f"{arguments} is refused", False, got)
        except error as refused:
            expect(f"{arguments} is refused", "(" in str(refused), refused)
            # LangChain sends tokens unless it is told not to; the refusal says how.
            is_told = "check_embedding_ctx_length=False" in str(refused)
            expect("the refusal of tokens says what to set", is_told or "input" not in arguments, refused)
    try:
        openai.OpenAI(base_url=f"{url}/v1", api_key="wrong", max_retries=0).models.list()
        expect("a wrong key is refused", False, None)
    except openai.AuthenticationError:
        expect("a wrong key is refused", True, None)
    made = OpenAIEmbeddings(model=model, base_url=f"{url}/v1", api_key=token, check_embedding_ctx_length=False)
    expect("LangChain embeds documents", made.embed_documents(TEXTS)[1] == usual.data[1].embedding, "other vectors")
    expect("LangChain embeds a question", len(made.embed_query("keys")) == len(values), "another length")


async def tools(session):
    names = [tool.name for tool in (await session.list_tools()).tools]
    expect("six tools are listed", names == ["lookup", "search", "pack", "status", "remember", "dispute"], names)
    for tool, arguments, words in [
        ("lookup", {"text": ERROR}, "git-ssh/unrelated-histories"),
        ("search", {"query": "how often are signing keys rotated"}, "keys.md:"),
        ("pack", {"task": "rotate the signing keys", "include": ["docs"]}, "ninety days"),
        ("status", {}, ": 1 file"),
    ]:
        [content] = (await session.call_tool(tool, arguments)).content
        expect(f"{tool} answers", words in content.text, content.text)


async def ask_as_agents(url, token):
    headers = {"Authorization": f"Bearer {token}"}
    async with create_mcp_http_client(headers=headers) as http:
        async with streamable_http_client(f"{url}/mcp", http_client=http) as streams:
            async with ClientSession(*streams[:2]) as session:
                greeting = await session.initialize()
                expect("the handshake of before 2026 has instructions", "lookup" in greeting.instructions, greeting)
                await tools(session)
    async with create_mcp_http_client(headers=headers) as http:
        async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as session:
            await tools(session)
            print("ok: the client that probes for the newest revision")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with service(str(Path(sys.argv[1]).resolve())) as (url, token):
        ask_as_openai(url, token)
        asyncio.run(ask_as_agents(url, token))


if __name__ == "__main__":
    main()
