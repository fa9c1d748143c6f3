"""Shared by the peer tests: where things are, and a server over HTTP."""

import contextlib
import pathlib
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MANIFEST = str(HERE / "manifest.yml")
CONFORMANCE = str(HERE.parent.parent / "examples" / "conformance-mock" / "manifest.yml")


def server_command() -> list[str]:
    """The command under test: a manifest, and `--http ADDR`, are appended to it."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} SERVER-COMMAND...")
    return sys.argv[1:]


@contextlib.contextmanager
def http_server(command: list[str], manifest: str):
    """Runs the server over HTTP; gives its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*command, manifest, "--http", f"127.0.0.1:{port}"])
    try:
        deadline = time.monotonic() + 10
        while True:
            if process.poll() is not None:
                sys.exit(f"the server ended with code {process.returncode}")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > deadline:
                    sys.exit("the server does not listen")
                time.sleep(0.02)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


class Checks:
    """Counts what held and what did not."""

    def __init__(self, peer: str):
        self.peer, self.passed, self.failed = peer, 0, 0

    def equal(self, what: str, found, expected):
        if found == expected:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {self.peer}: {what}: expected {expected!r}, found {found!r}")

    def end(self):
        print(f"{self.peer}: {self.passed} checks passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
