"""The server scenarios of the official conformance suite, over HTTP.

    PEERS=DIR python conformance.py SERVER-COMMAND...

Every scenario must pass except those named here, each with its reason in
examples/conformance-mock/README.md; one of those that passes is reported too, so that the list
stays true.
"""

import os
import pathlib
import re
import subprocess

from inspector import node
from peers import CONFORMANCE, Checks, http_server, server_command

PEERS = pathlib.Path(os.environ["PEERS"])
ASKS_THE_CLIENT = {
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
}
NEEDS_ROUNDS = {
    f"input-required-result-{name}"
    for name in [
        "basic-elicitation",
        "basic-sampling",
        "basic-list-roots",
        "request-state",
        "multiple-input-requests",
        "multi-round",
        "non-tool-request",
        "tampered-state",
        "capability-check",
    ]
}
# Package, arguments, scenarios that run, scenarios that a static mock cannot pass.
RUNS = [
    ("conformance", ["--suite", "all"], 32, ASKS_THE_CLIENT),
    ("conformance-next", ["--suite", "all", "--spec-version", "2025-11-25"], 33, ASKS_THE_CLIENT),
    ("conformance-next", ["--suite", "all", "--spec-version", "2026-07-28"], 40, NEEDS_ROUNDS),
]


def scenarios(package: str, options: list[str], url: str) -> dict[str, bool]:
    """Which scenarios ran, and whether each passed."""
    index = PEERS / "node_modules" / package / "dist" / "index.js"
    command = [node(), str(index), "server", "--url", url, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = re.findall(r"^([✓✗]) ([\w-]+): \d+ passed", done.stdout, re.MULTILINE)
    if not found:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return {name: mark == "✓" for mark, name in found}


def main(checks: Checks, command: list[str]):
    for package, options, count, impossible in RUNS:
        with http_server(command, CONFORMANCE) as url:
            found = scenarios(package, options, url)
        checks.equal(f"{package} {options}: scenarios", len(found), count)
        for name, passed in found.items():
            checks.equal(f"{package} {options}: {name}", passed, name not in impossible)
        passed = sum(found.values())
        print(f"{package} {' '.join(options)}: {passed} of {len(found)} scenarios pass")


if __name__ == "__main__":
    all_checks = Checks("Conformance")
    main(all_checks, server_command())
    all_checks.end()
