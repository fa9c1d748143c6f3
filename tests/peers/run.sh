#!/bin/sh
# Tries the mock with official clients, pinned, over stdio and HTTP.
#
#   tests/peers/run.sh SERVER-COMMAND...
#
# A manifest, and `--http ADDR`, are appended to the command, as in
#   tests/peers/run.sh target/debug/mcptest mock --tools-from
# The clients are in $MCPTEST_PEERS or target/peers, where `cargo xtask peers` puts them.
# PEER names one of them: python_sdk, inspector or conformance; without it, all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PEERS=${MCPTEST_PEERS:-$here/../../target/peers}
export PEERS PYTHONDONTWRITEBYTECODE=1
if [ ! -x "$PEERS/venv/bin/python" ]; then
    echo "$PEERS holds no clients: run cargo xtask peers" >&2
    exit 2
fi

failed=0
for peer in ${PEER:-python_sdk inspector conformance}; do
    "$PEERS/venv/bin/python" "$here/$peer.py" "$@" || failed=1
done
exit $failed
