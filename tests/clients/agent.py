#!/usr/bin/env python3
"""Asks `ken mcp` with the official Python client of the Model Context Protocol.

    pip install mcp==2.3.0 && tests/clients/agent.py target/release/ken

`benches/service/agent.py` measures the same.

Prints what was asked, and exits with 1 at the first answer that is not right.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from checks import expect, said

ERROR = "fatal: refusing to merge unrelated histories"


async def ask(ken, folder):
    (folder / "keys.md").write_text("# Signing keys\n\nSigning keys are rotated every ninety days.\n")
    variables = {"KEN_HOME": str(folder / "home"), "PATH": os.environ["PATH"]}
    index = await asyncio.create_subprocess_exec(ken, "index", "--quiet", ".", cwd=folder, env=variables)
    expect("a folder is indexed", await index.wait() == 0, index.returncode)
    server = StdioServerParameters(command=ken, args=["mcp"], env=variables, cwd=folder)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        greeting = await session.initialize()
        expect("the handshake has instructions", "lookup" in (greeting.instructions or ""), greeting)
        names = [tool.name for tool in (await session.list_tools()).tools]
        expect("six tools are listed", names == ["lookup", "search", "pack", "status", "remember", "dispute"], names)
        text, failed = await said(session, "lookup", {"text": ERROR})
        expect("an error is looked up", "git-ssh/unrelated-histories" in text and not failed, text)
        text, failed = await said(session, "search", {"query": "how often are signing keys rotated"})
        expect("a question finds its file", "keys.md:" in text and not failed, text)
        text, failed = await said(session, "pack", {"task": "rotate the signing keys", "include": ["keys.md"]})
        expect("a task gets a frame", "ninety days" in text and not failed, text)
        text, failed = await said(session, "status", {})
        expect("the status names the folder", ": 1 file" in text and not failed, text)
        fix = {"text": "Fetch the whole history first", "error": ERROR, "worked": True}
        text, failed = await said(session, "remember", fix)
        expect("a fix is remembered", text.startswith("Remembered: memory/") and not failed, text)
        memory = text.split()[1]
        text, failed = await said(session, "lookup", {"text": ERROR})
        expect("the fix is told", fix["text"] in text and not failed, text)
        text, failed = await said(session, "dispute", {"id": memory, "because": "it was another error"})
        expect("the fix is disputed", "not served" in text and not failed, text)
        text, failed = await said(session, "lookup", {"text": ERROR})
        expect("the fix is told no more", fix["text"] not in text and not failed, text)
        text, failed = await said(session, "search", {"query": "x", "types": ["no type"]})
        expect("a wrong argument is said", failed and "no type is no type of files" in text, text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(ask(str(Path(sys.argv[1]).resolve()), Path(folder).resolve()))


if __name__ == "__main__":
    main()
