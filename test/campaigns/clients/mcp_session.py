"""Runs one session of the Model Context Protocol with the client of `mcp` or `fastmcp`, and prints what it received.

Usage: mcp_session.py LIBRARY PLAN, with a plan of {"url"} or {"command", "args"}, and the calls of the session.
"""

import asyncio
import importlib
import json
import sys
from pathlib import Path

library, plan_file = sys.argv[1:]
plan = json.loads(Path(plan_file).read_text())
Client = importlib.import_module(library).Client


def target():
    if "url" in plan:
        return plan["url"]
    if library == "fastmcp":
        from fastmcp.client.transports import StdioTransport

        return StdioTransport(command=plan["command"], args=plan["args"], keep_alive=False)
    from mcp import StdioServerParameters

    return StdioServerParameters(command=plan["command"], args=plan["args"])


async def call(client, name, arguments):
    if library == "fastmcp":
        result = await client.call_tool(name, arguments, raise_on_error=False)
    else:
        result = await client.call_tool(name, arguments)
    return {"isError": result.is_error, "text": result.content[0].text}


def listed(result, field):
    """Returns the items of a list, which `fastmcp` returns without the rest of the response."""
    return result if isinstance(result, list) else getattr(result, field)


async def main():
    async with Client(target()) as client:
        read = await client.read_resource(plan["resource"])
        prompt = await client.get_prompt(plan["prompt"]["name"], plan["prompt"]["arguments"])
        session = {
            "tools": [tool.name for tool in listed(await client.list_tools(), "tools")],
            "prompts": [each.name for each in listed(await client.list_prompts(), "prompts")],
            "templates": [
                each.uri_template
                for each in listed(await client.list_resource_templates(), "resource_templates")
            ],
            "calls": [await call(client, each["name"], each["arguments"]) for each in plan["calls"]],
            "resource": listed(read, "contents")[0].text,
            "prompt": prompt.messages[0].content.text,
        }
    print(json.dumps(session))


asyncio.run(main())
