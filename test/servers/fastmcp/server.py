"""A server of FastMCP 3 with one task, which asks a person. Run by tests: `python server.py [port]`; on stdio without a port."""

import sys
from datetime import timedelta

from fastmcp import Context, FastMCP
from fastmcp.server.tasks import TaskConfig

mcp = FastMCP("invoices")


@mcp.tool(task=TaskConfig(poll_interval=timedelta(seconds=1)))
async def approve_invoice(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"Approve {name}?", response_type=str)
    return f"{name}: {answer.data if answer.action == 'accept' else answer.action}"


if len(sys.argv) > 1:
    mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
else:
    mcp.run(show_banner=False)
