# Looks for programs, and asks each one that it finds for its version. Arguments: how long all of this may take, in seconds,
# then the programs. For each program it prints its number and what it answers, with a tab between them, or nothing if there
# is no such program. One after the other, because each may need as much memory as the agent has.
end=$(($(date +%s) + $1))
shift
number=0
for program; do
  if command -v -- "$program" >/dev/null 2>&1; then
    left=$((end - $(date +%s)))
    [ "$left" -le 5 ] || left=5
    version=
    [ "$left" -lt 1 ] ||
      version=$(timeout -k 1 "$left" "$program" --version </dev/null 2>/dev/null | head -c 1000 | tr '\t\r\n' '   ')
    printf '%s\t%s\n' "$number" "$version"
  fi
  number=$((number + 1))
done
exit 0
