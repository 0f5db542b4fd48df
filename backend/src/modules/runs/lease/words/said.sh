# Prints the end of the file in which a CLI keeps a session. $1: the home, $2: the session, $3: most bytes, $4: the CLI.
case $4 in
claude-code) set -- "$3" "$1"/.claude/projects/*/"$2.jsonl" ;;
codex) set -- "$3" "$1"/.codex/sessions/*/*/*/rollout-*"-$2.jsonl" ;;
copilot) set -- "$3" "$1/.copilot/session-state/$2/events.jsonl" ;;
gemini-cli)
  # Its name has the first part of the session alone, and its first line all of it.
  for file in "$1"/.gemini/tmp/*/chats/session-*-"${2%%-*}.jsonl"; do
    [ -f "$file" ] && head -c 4096 -- "$file" | grep -qF "\"sessionId\":\"$2\"" && exec tail -c "$3" -- "$file"
  done
  exit 0
  ;;
*) exit 0 ;;
esac
most=$1
shift
for file in "$@"; do
  [ -f "$file" ] && exec tail -c "$most" -- "$file"
done
exit 0
