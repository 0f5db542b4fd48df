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

# What a body needs; curl has --json for it from 7.82 on, which not every runner has.
readonly json=(--header 'Content-Type: application/json' --data)

# call METHOD PATH [curl's options]: leaves the body in $answer and the status in $status. The token goes through a file
# descriptor: arguments are there for everybody on the machine to read.
call() {
  local method="$1" path="$2"
  shift 2
  status="$(curl --silent --show-error --config <(printf 'header = "Authorization: Bearer %s"\n' "$SLIPWAY_TOKEN") \
    --request "$method" --output "$answer" --write-out '%{http_code}' "$@" "$api$path")"
}

message() {
  jq -r '.message? // empty' "$answer" 2>/dev/null || true
}

# Sent again with its key, this makes no second agent.
make_agent() {
  local settings body state
  settings="${SLIPWAY_CREATE:-{\"runtime\":\"claude-code\"\}}"
  body="$(jq -n --arg name "$agent" --argjson settings "$settings" '$settings + {name: $name}')" || fail 'SLIPWAY_CREATE is not JSON'
  : >"$mine"
  call POST '/agents?wait=true' "${retry[@]}" --header "Idempotency-Key: ci-$unique" "${json[@]}" "$body" ||
    { [ "$status" != 000 ] || rm -f "$mine"; fail "$SLIPWAY_URL cannot be reached"; }
  if [ "$status" != 201 ]; then
    rm -f "$mine"
    fail "the agent could not be made: $status $(message)"
  fi
  state="$(jq -r .state "$answer")"
  [ "$state" = running ] || fail "the agent is $state: $(jq -r '.reason.message // empty' "$answer")"
}

run_program() {
  local body
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
}

# An agent of that name which is somebody else's is left alone.
delete_agent() {
  call DELETE "/agents/$agent" "${retry[@]}" --max-time 120 || true
  case "$status" in
  204 | 404) ;;
  *) printf 'slipway: the agent %s could not be deleted: %s %s\n' "$agent" "$status" "$(message)" >&2 ;;
  esac
}

# The work is a process group of its own, and this shell does nothing but wait for it: where a signal is heard in the middle of
# a $( ), bash may fail to read what was to be done then. Whatever happened, the agent is deleted afterwards.
folder="$(mktemp -d)"
# The last body, and whether there may be an agent to delete.
readonly answer="$folder/answer" mine="$folder/mine"
worker='' signalled=''
end_worker() { [ -z "$worker" ] || kill -TERM -- "-$worker" 2>/dev/null || true; }
trap 'signalled=129; end_worker' HUP
trap 'signalled=130; end_worker' INT
trap 'signalled=143; end_worker' TERM
set -m
{
  set +m
  trap - HUP INT TERM
  make_agent
  run_program "$@"
} </dev/null &
worker=$!
set +m
[ -z "$signalled" ] || end_worker
code=0
wait "$worker" 2>/dev/null || code=$?
# Once more, where it was a signal that ended the waiting.
wait "$worker" 2>/dev/null || true

trap '' HUP INT TERM
if [ -e "$mine" ]; then delete_agent; fi
rm -rf "$folder"
exit "${signalled:-$code}"
