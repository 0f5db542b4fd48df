#!/usr/bin/env bash
# Hands a task to an agent, waits for its end, and prints the answer and what changed. Needs bash, curl and jq.
#
#   SLIPWAY_URL=https://slipway.example.org SLIPWAY_TOKEN=slp_... ./task.sh 'Fix the failing test.'
#
# SLIPWAY_TOKEN    an API token with the scopes tasks:read and tasks:write
# SLIPWAY_AGENT    the agent's name; needed unless the token's user has exactly one
# SLIPWAY_CWD      the folder of the task in the agent (default: the home)
# SLIPWAY_TASK     more fields of the task, as a JSON object, for example {"max_budget_usd": 2}
# SLIPWAY_RETRIES  how often to retry if the server does not answer (default 5, with growing pauses)
#
# Standard output gets the diff, standard error the answer and the reason. Exit code 0: the task completed, 1: it did not,
# 124: its time ran out, 125: Slipway failed. A signal ends the task, too.
set -euo pipefail

readonly FAILED=125 TIMED_OUT=124
# Between two looks, in seconds.
readonly PAUSE=2

fail() {
  printf 'slipway: %s\n' "$1" >&2
  exit "$FAILED"
}

[ $# -eq 1 ] || fail 'give the prompt as one argument'
[ -n "${SLIPWAY_URL:-}" ] || fail 'SLIPWAY_URL is not set'
[ -n "${SLIPWAY_TOKEN:-}" ] || fail 'SLIPWAY_TOKEN is not set'
for needed in curl jq; do
  command -v "$needed" >/dev/null || fail "$needed is needed"
done

readonly sessions="${SLIPWAY_URL%/}/api/coding-agents/sessions"
answer="$(mktemp)"
readonly answer
id=''
trap 'rm -f "$answer"' EXIT

# call METHOD URL [curl's options]: writes the response's body to $answer and its status to $status. The token goes through
# a file descriptor, because every user of the machine can read arguments.
call() {
  local method="$1" url="$2"
  shift 2
  status="$(curl --silent --show-error --retry "${SLIPWAY_RETRIES:-5}" --retry-connrefused \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$SLIPWAY_TOKEN") \
    --request "$method" --output "$answer" --write-out '%{http_code}' "$@" "$url")"
}

message() {
  jq -r '.message? // empty' "$answer" 2>/dev/null || true
}

end_task() {
  trap '' HUP INT TERM
  # The signal may have come while the answer to the start did.
  [ -n "$id" ] || id="$(jq -r '.id? // empty' "$answer" 2>/dev/null || true)"
  [ -z "$id" ] || call DELETE "$sessions/$id" || true
  exit "$1"
}
trap 'end_task 129' HUP
trap 'end_task 130' INT
trap 'end_task 143' TERM

more="${SLIPWAY_TASK:-{\}}"
body="$(jq -n --arg prompt "$1" --arg agent "${SLIPWAY_AGENT:-}" --arg cwd "${SLIPWAY_CWD:-}" --argjson more "$more" \
  '{prompt: $prompt} + (if $agent == "" then {} else {agent: $agent} end) + (if $cwd == "" then {} else {cwd: $cwd} end) + $more')" ||
  fail 'SLIPWAY_TASK is not JSON'
# The key makes a retry safe: it starts no second task. The body goes through standard input, because a prompt may be long.
call POST "$sessions" --header "Idempotency-Key: task-$(date +%s)-$RANDOM$RANDOM" \
  --header 'Content-Type: application/json' --data-binary @- <<<"$body" || fail "$SLIPWAY_URL cannot be reached"
[ "$status" = 201 ] || fail "the task could not be started: $status $(message)"
id="$(jq -r .id "$answer")"

while [ "$(jq -r .completedAt "$answer")" = null ]; do
  # In the background, so that a signal does not wait for it.
  sleep "$PAUSE" &
  wait $!
  call GET "$sessions/$id" || fail 'the connection was lost; the task goes on'
  [ "$status" = 200 ] || fail "the task could not be read: $status $(message)"
done

jq -r '.result // empty' "$answer" >&2
reason="$(jq -r .reason "$answer")"
error="$(jq -r '.error // empty' "$answer")"
state="$(jq -r .state "$answer")"
call GET "$sessions/$id/diff" || fail 'the connection was lost; the task has ended'
[ "$status" = 200 ] || fail "the changes could not be read: $status $(message)"
jq -j '.files[].patch // empty' "$answer"
[ "$state" != completed ] || exit 0
printf 'slipway: %s: %s\n' "$reason" "$error" >&2
[ "$reason" != timed_out ] || exit "$TIMED_OUT"
exit 1
