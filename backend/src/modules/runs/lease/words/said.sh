# Prints the end of the file in which Claude Code keeps a session. $1: the home, $2: the session, $3: most bytes.
for file in "$1"/.claude/projects/*/"$2.jsonl"; do
  [ -f "$file" ] && exec tail -c "$3" -- "$file"
done
exit 0
