#!/usr/bin/env bash
# Creates an agent, runs one program in it, and always deletes the agent again. Needs bash, curl and jq.
#
#   SLIPWAY_URL=https://slipway.example.org SLIPWAY_TOKEN=slp_... ./ci.sh claude -p 'Are the tests green?'
#
# SLIPWAY_TOKEN    an API token with the scopes agents:write and terminal
# SLIPWAY_AGENT    the agent's name (default: a unique name)
# SLIPWAY_TIMEOUT  time limit of the program in seconds (default 300, at most 1800)
# SLIPWAY_RETRIES  how often to retry if the server does not answer (default 5, with growing pauses)
# SLIPWAY_CREATE   more settings for the new agent, as a JSON object (default: {"runtime":"claude-code"})
#
# Passes on the program's standard output, standard error and exit code. Exit code 124 means that the time ran out, 125 that
# Slipway failed.
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

# For a JSON body. Only curl 7.82 and newer have --json.
readonly json=(--header 'Content-Type: application/json' --data)

# call METHOD PATH [curl's options]: writes the response's body to $answer and its status to $status. The token goes through
# a file descriptor, because every user of the machine can read arguments.
call() {
  local method="$1" path="$2"
  shift 2
  status="$(curl --silent --show-error --config <(printf 'header = "Authorization: Bearer %s"\n' "$SLIPWAY_TOKEN") \
    --request "$method" --output "$answer" --write-out '%{http_code}' "$@" "$api$path")"
}

message() {
  jq -r '.message? // empty' "$answer" 2>/dev/null || true
}

# The key makes a retry safe: it creates no second agent.
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

# Not called if the agent was not created here: the name may belong to another user's agent.
delete_agent() {
  call DELETE "/agents/$agent" "${retry[@]}" --max-time 120 || true
  case "$status" in
  204 | 404) ;;
  *) printf 'slipway: the agent %s could not be deleted: %s %s\n' "$agent" "$status" "$(message)" >&2 ;;
  esac
}

# The work runs in a process group of its own, and this shell only waits for it. If a signal arrives inside a $( ), bash may
# lose the trap. The agent is deleted afterwards in any case.
folder="$(mktemp -d)"
# The last response's body, and a file that exists if there may be an agent to delete.
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
# A signal ends the first wait early.
wait "$worker" 2>/dev/null || true

trap '' HUP INT TERM
if [ -e "$mine" ]; then delete_agent; fi
rm -rf "$folder"
exit "${signalled:-$code}"
