#!/usr/bin/env python3
"""Asks `ken gateway` with the official Python client of the Model Context Protocol, in each exposure, in front of
a server that the same package makes.

    pip install mcp==2.3.0 && tests/clients/gateway.py target/release/ken

Prints what was asked, and exits with 1 at the first answer that is not right.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from checks import expect, said

SERVER = '''
try:
    from mcp.server import MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server

server = Server("shop")


@server.tool()
def order_status(number: int) -> str:
    """Says where an order of a customer is."""
    return f"order {number} is on its way"


@server.tool()
def print_label(address: str) -> str:
    """Prints a label for a parcel."""
    return f"printed: {address}"


server.run("stdio")
'''


async def ask(ken, folder, exposure):
    config = folder / f"{exposure}.json"
    # What is installed for this script is there for its server too.
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    server = {"command": sys.executable, "args": [str(folder / "server.py")], "env": path}
    config.write_text(json.dumps({"mcpServers": {"shop": server}, "exposure": exposure}))
    variables = {"KEN_HOME": str(folder / "home"), "PATH": os.environ["PATH"]}
    gateway = StdioServerParameters(command=ken, args=["gateway", "--config", str(config)], env=variables, cwd=folder)
    async with stdio_client(gateway) as streams, ClientSession(*streams) as session:
        await session.initialize()
        names = {tool.name for tool in (await session.list_tools()).tools}
        if exposure == "transparent":
            expect("all tools are listed", names == {"shop__order_status", "shop__print_label"}, names)
        else:
            expect("three tools are listed", names == {"find", "describe", "call"}, names)
            text, failed = await said(session, "find", {"task": "where is the order of a customer"})
            expect("a task finds its tool", "shop__order_status" in text and not failed, text)
            text, failed = await said(session, "describe", {"names": ["shop__order_status"]})
            expect("it is described", "number" in text and not failed, text)
            text, failed = await said(session, "call", {"name": "shop__order_status", "arguments": {"number": 7}})
            expect("it is called", text == "order 7 is on its way" and not failed, text)
            text, failed = await said(session, "call", {"name": "shop__order_status", "arguments": {"number": "seven"}})
            expect("wrong arguments are refused", failed and "number" in text, text)
        if exposure != "meta":
            names = {tool.name for tool in (await session.list_tools()).tools}
            expect("the tool has its name", "shop__order_status" in names, names)
            text, failed = await said(session, "shop__order_status", {"number": 8})
            expect("it is called by its name", text == "order 8 is on its way" and not failed, text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ken = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        (folder / "server.py").write_text(SERVER)
        for exposure in ["meta", "hybrid", "transparent"]:
            print(f"exposure {exposure}")
            asyncio.run(ask(ken, folder, exposure))


if __name__ == "__main__":
    main()
