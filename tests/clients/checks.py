"""What the clients here check: each prints what was right, and ends with 1 at the first thing that was not."""

import sys


def expect(what, is_right, got):
    if not is_right:
        sys.exit(f"WRONG: {what}: {got}")
    print(f"ok: {what}")


async def said(session, tool, arguments):
    """The text of a tool's only answer, and whether it says that it failed."""
    result = await session.call_tool(tool, arguments)
    [content] = result.content
    return content.text, getattr(result, "is_error", getattr(result, "isError", None))
