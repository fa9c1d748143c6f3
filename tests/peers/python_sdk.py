"""The official Python SDK (mcp 2.3.0) as a client, over stdio and HTTP, in both lifecycles.

    python python_sdk.py SERVER-COMMAND...
"""

import asyncio

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from peers import MANIFEST, Checks, http_server, server_command

TOOLS = ["search_products", "get_product", "next_ticket", "long_job", "echo"]
VERSIONS = {"auto": "2026-07-28", "2026-07-28": "2026-07-28", "legacy": "2025-11-25"}


async def pages(fetch, key: str):
    """All pages of a list."""
    found, cursor, count = [], None, 0
    while True:
        result = await fetch(cursor=cursor)
        found += getattr(result, key)
        count += 1
        cursor = result.next_cursor
        if cursor is None:
            return found, count


def text(result) -> str:
    return result.content[0].text


async def refused(call) -> int:
    """The code of the error that a request must end with."""
    try:
        await call
    except MCPError as error:
        return error.error.code
    return 0


async def talk(checks: Checks, where: str, server, mode: str):
    def equal(what, found, expected):
        checks.equal(f"{where}, {mode}: {what}", found, expected)

    async with Client(server, mode=mode, read_timeout_seconds=20) as client:
        equal("version", client.protocol_version, VERSIONS[mode])
        if mode != "2026-07-28":  # A pinned version asks no questions.
            equal("name", client.server_info.name, "peers")
            equal("server version", client.server_info.version, "2.1")
            equal("instructions", client.instructions, "Ask for notebooks.")
        tools, count = await pages(client.list_tools, "tools")
        equal("tools", [tool.name for tool in tools], TOOLS)
        equal("pages", count, 3)
        equal("read-only", tools[0].annotations.read_only_hint, True)

        found = await client.call_tool("search_products", {"query": "notebook"})
        equal("text", text(found), "Products matching notebook: sku-1, sku-2.")
        equal("no error", found.is_error, False)
        wrong = await client.call_tool("search_products", {"limit": 0})
        equal("invalid", wrong.is_error, True)
        equal("why", '"query" is a required property' in text(wrong), True)
        product = await client.call_tool("get_product", {"sku": "sku-7"})
        equal("structured", product.structured_content, {"sku": "sku-7", "stock": 3})
        equal("structured text", text(product), '{"sku":"sku-7","stock":3}')
        none = await client.call_tool("get_product", {"sku": "sku-0"})
        equal("case", (none.is_error, text(none)), (True, "No such product: sku-0"))
        if where == "stdio":  # Over HTTP the count goes on from mode to mode.
            drawn = [await client.call_tool("next_ticket") for _ in range(4)]
            told = ["ticket 1", "ticket 2", "no more tickets", "no more tickets"]
            equal("sequence", [text(one) for one in drawn], told)
        progress = []

        async def on_progress(done, total, message):
            progress.append((done, total))

        job = await client.call_tool("long_job", progress_callback=on_progress)
        equal("job", text(job), "done")
        equal("progress", progress, [(1.0, 2.0), (2.0, 2.0)])
        equal("echo", text(await client.call_tool("echo", {"a": [1]})), 'echo {"a":[1]}')
        equal("unknown tool", await refused(client.call_tool("nothing")), -32602)

        resources, _ = await pages(client.list_resources, "resources")
        equal("resources", [one.name for one in resources], ["readme", "pixel", "last"])
        templates, _ = await pages(client.list_resource_templates, "resource_templates")
        equal("templates", [one.name for one in templates], ["product"])
        read = await client.read_resource("mock://readme")
        equal("read", read.contents[0].text, "Read me.")
        read = await client.read_resource("mock://products/sku-9")
        equal("read by template", read.contents[0].text, "Product sku-9")
        equal("blob", (await client.read_resource("mock://pixel")).contents[0].mime_type, "image/png")
        missing = -32002 if mode == "legacy" else -32602
        equal("no resource", await refused(client.read_resource("mock://none")), missing)

        prompts, _ = await pages(client.list_prompts, "prompts")
        equal("prompts", [one.name for one in prompts], ["greet"])
        greeting = await client.get_prompt("greet", {"who": "Ada"})
        equal("prompt", greeting.messages[0].content.text, "Greet Ada.")
        equal("argument missing", await refused(client.get_prompt("greet")), -32602)


async def main(checks: Checks, command: list[str]):
    program, *arguments = command
    stdio = StdioServerParameters(command=program, args=[*arguments, MANIFEST])
    for mode in VERSIONS:
        await talk(checks, "stdio", stdio, mode)
    with http_server(command, MANIFEST) as url:
        for mode in VERSIONS:
            await talk(checks, "http", url, mode)


if __name__ == "__main__":
    all_checks = Checks("Python SDK")
    asyncio.run(main(all_checks, server_command()))
    all_checks.end()
