#!/usr/bin/env bash
# Makes an agent, runs one program in it, and deletes it again, whatever happened. Needs bash, curl and jq.
#
#   SLIPWAY_URL=https://slipway.example.org SLIPWAY_TOKEN=slp_... ./ci.sh claude -p 'Are the tests green?'
#
# SLIPWAY_TOKEN    an API token with the scopes agents:write and terminal
# SLIPWAY_AGENT    the agent's name (default: one that nobody else has)
# SLIPWAY_TIMEOUT  seconds that the program may take (default 300, at most 1800)
# SLIPWAY_RETRIES  how often to try again where the server does not answer (default 5, with growing pauses)
# SLIPWAY_CREATE   more settings for the new agent, as a JSON object (default: {"runtime":"claude-code"})
#
# What the program prints comes out here, each output where it belongs. Ends with the program's own exit code; with 124
# when its time was over, and with 125 when Slipway itself could not do it.
set -euo pipefail

readonly TIMED_OUT=124 FAILED=125

fail() {
  printf 'slipway: %s\n' "$1" >&2
  exit "$FAILED"
}

[ $# -gt 0 ] || fail 'say which program to run'
[ -n "${SLIPWAY_URL:-}" ] || fail 'SLIPWAY_URL is not set'
[ -n "${SLIPWAY_TOKEN:-}" ] || fail 'SLIPWAY_TOKEN is not set'
for needed in curl jq; do
  command -v "$needed" >/dev/null || fail "$needed is needed"
done

readonly retry=(--retry "${SLIPWAY_RETRIES:-5}" --retry-connrefused)
readonly api="${SLIPWAY_URL%/}/api"
unique="$(date +%s)-$RANDOM$RANDOM"
readonly agent="${SLIPWAY_AGENT:-ci-$unique}"
answer="$(mktemp)"
request='' mine=''

# What a body needs; curl has --json for it from 7.82 on, which not every runner has.
readonly json=(--header 'Content-Type: application/json' --data)

# call METHOD PATH [curl's options]: leaves the body in $answer and the status in $status. The token goes through a file
# descriptor: arguments are there for everybody on the machine to read. In the background, so that a signal is heard.
call() {
  local method="$1" path="$2"
  shift 2
  local told
  told="$(mktemp)"
  curl --silent --show-error --config <(printf 'header = "Authorization: Bearer %s"\n' "$SLIPWAY_TOKEN") \
    --request "$method" --output "$answer" --write-out '%{http_code}' "$@" "$api$path" >"$told" &
  request=$!
  local code=0
  wait "$request" || code=$?
  request=''
  status="$(cat "$told")"
  rm -f "$told"
  return "$code"
}

message() {
  jq -r '.message? // empty' "$answer" 2>/dev/null || true
}

# Also after a failure and a signal. An agent of that name which is somebody else's is left alone.
tidy_up() {
  local code=$?
  trap - EXIT
  if [ -n "$request" ]; then kill "$request" 2>/dev/null || true; fi
  if [ -n "$mine" ]; then
    call DELETE "/agents/$agent" "${retry[@]}" --max-time 120 || true
    case "$status" in
    204 | 404) ;;
    *) printf 'slipway: the agent %s could not be deleted: %s %s\n' "$agent" "$status" "$(message)" >&2 ;;
    esac
  fi
  rm -f "$answer"
  exit "$code"
}
trap tidy_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Sent again with its key, this makes no second agent.
settings="${SLIPWAY_CREATE:-{\"runtime\":\"claude-code\"\}}"
body="$(jq -n --arg name "$agent" --argjson settings "$settings" '$settings + {name: $name}')" || fail 'SLIPWAY_CREATE is not JSON'
mine=yes
call POST '/agents?wait=true' "${retry[@]}" --header "Idempotency-Key: ci-$unique" "${json[@]}" "$body" ||
  { [ "$status" != 000 ] || mine=''; fail "$SLIPWAY_URL cannot be reached"; }
if [ "$status" != 201 ]; then
  mine=''
  fail "the agent could not be made: $status $(message)"
fi
state="$(jq -r .state "$answer")"
[ "$state" = running ] || fail "the agent is $state: $(jq -r '.reason.message // empty' "$answer")"

body="$(jq -n --argjson timeout "${SLIPWAY_TIMEOUT:-300}" '{argv: $ARGS.positional, timeoutSeconds: $timeout}' --args -- "$@")" ||
  fail 'SLIPWAY_TIMEOUT is not a number'
call POST "/agents/$agent/exec" "${json[@]}" "$body" || fail 'the connection was lost; the program was ended'
[ "$status" = 200 ] || fail "the program could not be run: $status $(message)"

jq -j .stdout "$answer"
jq -j .stderr "$answer" >&2
if [ "$(jq -r .timedOut "$answer")" = true ]; then
  printf 'slipway: its time was over\n' >&2
  exit "$TIMED_OUT"
fi
if [ "$(jq -r .outOfMemory "$answer")" = true ]; then printf 'slipway: the agent ran out of memory\n' >&2; fi
exit "$(jq -r ".exitCode // $FAILED" "$answer")"
