# Becomes a program that has the environment of a login shell. Run by `bash -p`, which reads no start-up file itself.
# Arguments: how many seconds the login may take, then the program and its arguments.
#
# The login shell is a process of its own that has no terminal and no input. One that hangs, exits or fails costs the
# program what it would have set, and nothing else. Names of this script begin with slipway_, and are exported to nobody.
slipway_limit=$1
shift
slipway_end=$((SECONDS + slipway_limit))

# A session of its own is a process group, too, and can be ended as one. The empty record says that the others are all.
exec {slipway_from}< <(
  exec setsid /bin/bash --login -c '/usr/bin/env -0 >&3 && printf "\0" >&3' 3>&1 >/dev/null 2>&1 </dev/null
)
slipway_login=$!
# Not the program's yet: a key that ended this process would end the session, and leave the login shell behind.
trap '' INT QUIT TSTP

# What is longer than the kernel's limits did not come from `env`.
slipway_records=() slipway_bytes=0 slipway_complete=
while ((SECONDS < slipway_end && slipway_bytes < 1000000)) &&
  IFS= read -r -d '' -t $((slipway_end - SECONDS)) -u "$slipway_from" slipway_record; do
  if [[ -z $slipway_record ]]; then
    slipway_complete=1
    break
  fi
  ((${#slipway_record} < 100000)) || break
  slipway_records+=("$slipway_record")
  slipway_bytes=$((slipway_bytes + ${#slipway_record}))
done
trap - INT QUIT TSTP
exec {slipway_from}<&-
[[ $slipway_complete ]] || kill -s KILL -- "-$slipway_login" 2>/dev/null
kill -s KILL "$slipway_login" 2>/dev/null
# Else it would stay behind as a child that the program does not know.
wait "$slipway_login" 2>/dev/null

# This process's own, which the program inherits as they are, and names that a shell cannot export.
slipway_skips() {
  case $1 in
  _ | SHLVL | PWD | OLDPWD | SLIPWAY_* | slipway_* | [0-9]* | *[!A-Za-z0-9_]* | '') return 0 ;;
  esac
  return 1
}
if [[ $slipway_complete ]]; then
  # What the login has unset, it has unset for the program, too.
  while read -r slipway_name; do
    slipway_skips "$slipway_name" || unset -v "$slipway_name"
  done < <(compgen -e) 2>/dev/null
  for slipway_record in "${slipway_records[@]}"; do
    slipway_skips "${slipway_record%%=*}" || export "$slipway_record"
  done 2>/dev/null
else
  slipway_why='ended early'
  ((SECONDS < slipway_end)) || slipway_why="took longer than $slipway_limit seconds"
  printf '\033[2mThe login shell %s, so %s starts without what ~/.profile sets.\033[0m\r\n' "$slipway_why" "$1"
fi
exec -- "$@"
