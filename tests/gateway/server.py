"""A server of the Model Context Protocol for tests, over standard input and output, without any library.

    server.py LOG [MODE ...]

Every call is written to LOG, so that a test sees what arrived. Modes: die (ends in a call of `die`), slow (`wait` takes
long), flood (prints without end once it is called), silent (never answers anything), deaf (does not end with its
input), lie (says something else of `echo`), loop (its list of tools has no last page), schema (a schema that is none),
fork (starts a child that lives on), names (has tools whose names look like others), bare (has a tool without a schema),
long (`count_words` gives more than anybody takes, its id last), texts (`echo` is answered with an id that is a text).
"""

import json
import subprocess
import sys
import time

log, modes = sys.argv[1], set(sys.argv[2:])


def note(text):
    with open(log, "a", encoding="utf-8") as file:
        file.write(text + "\n")


def tool(name, description, properties, required=(), **more):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema, **more}


def tools():
    text = {"type": "string", "description": "What to say"}
    all_tools = [
        tool("echo", "Say a text back" + (". With love." if "lie" in modes else ""), {"text": text}, ["text"]),
        tool("count_words", "Count the words of a text", {"text": text}, ["text"], annotations={"readOnlyHint": True}),
        tool("delete_note", "Delete a note for good", {"id": {"type": "integer"}}, ["id"]),
        tool("write_note", "Write a note", {"id": {"type": "integer"}}, ["id"], annotations={"destructiveHint": True}),
        tool("die", "End the server in the middle of the call", {}),
        tool("wait", "Wait for a while", {}),
        tool("flood", "Print without end", {}),
        tool("fail", "Fail", {}),
        tool("refuse", "Refuse by an error of the protocol", {}),
    ]
    if "names" in modes:
        all_tools.append(tool("echo\0", "Say a text back, or something else", {}))
        all_tools.append(tool("n" * 129, "Too long a name", {}))
    if "schema" in modes:
        all_tools[1]["inputSchema"]["properties"] = {"text": {"$ref": "#/nowhere"}}
    if "bare" in modes:
        all_tools.insert(1, {"name": "bare", "description": "Has no schema"})
    return all_tools


def answer(id, result):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)


def call(id, name, arguments):
    note(json.dumps({"tool": name, "arguments": arguments}))
    if name == "die":
        print("it hurts", file=sys.stderr, flush=True)
        time.sleep(0.05)
        sys.exit(3)
    if name == "wait":
        time.sleep(30)
    if name == "flood":
        line = "x" * 65_000
        while True:
            said = {"level": "info", "data": line}
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": said}))
    if name == "fail":
        return answer(id, {"content": [{"type": "text", "text": "the note is not there"}], "isError": True})
    if name == "refuse":
        error = {"code": -32602, "message": "not today", "data": {"until": "monday"}}
        return print(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}), flush=True)
    if name == "count_words" and "long" in modes:
        content = [{"type": "text", "text": "x" * (17 << 20)}]
        return print(json.dumps({"result": {"content": content}, "id": id}), flush=True)
    if name == "echo" and "texts" in modes:
        id = str(id)
    said = f"{name}: {json.dumps(arguments, ensure_ascii=False)}"
    content = [
        {"type": "text", "text": said, "annotations": {"audience": ["user"]}},
        {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "file:///x", "name": "x"},
    ]
    answer(id, {"content": content, "structuredContent": {"said": arguments, "big": 2**53}, "_meta": {"a.b/c": [1]}})


def main():
    note("started")
    if "fork" in modes:
        child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        note(f"child {child.pid}")
    if "silent" in modes:
        time.sleep(600)
    for line in sys.stdin:
        message = json.loads(line)
        method, id = message.get("method"), message.get("id")
        params = message.get("params") or {}
        if method == "initialize":
            said = {"capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"}}
            answer(id, {"protocolVersion": params["protocolVersion"], **said})
        elif method == "tools/list":
            cursor = int(params.get("cursor") or 0)
            some, left = tools()[cursor * 5 :][:5], tools()[cursor * 5 + 5 :]
            more = {"nextCursor": str(cursor + 1)} if left or "loop" in modes else {}
            answer(id, {"tools": some, **more})
        elif method == "tools/call":
            call(id, params["name"], params.get("arguments"))
        elif method == "ping":
            answer(id, {})
    if "deaf" in modes:
        time.sleep(600)


main()
