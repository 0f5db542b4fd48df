# Looks for programs, and asks each one that it finds for its version. Arguments: how long all of this may take, in seconds,
# then the programs. For each program it prints its number and what it answers, with a tab between them, or nothing if there
# is no such program. One after the other, because each may need as much memory as the agent has. A program may take 20 s: on a
# busy machine, one that starts Node.js needs more than 5.
end=$(($(date +%s) + $1))
shift
number=0
for program; do
  if command -v -- "$program" >/dev/null 2>&1; then
    left=$((end - $(date +%s)))
    [ "$left" -le 20 ] || left=20
    version=
    [ "$left" -lt 1 ] ||
      version=$(timeout -k 1 "$left" "$program" --version </dev/null 2>/dev/null | head -c 1000 | tr '\t\r\n' '   ')
    printf '%s\t%s\n' "$number" "$version"
  fi
  number=$((number + 1))
done
exit 0
