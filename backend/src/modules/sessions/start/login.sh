# Runs a program with the environment of a login shell, in the same process. `bash -p` runs this script, because it reads
# no start-up file itself. Arguments: the login's time limit in seconds, then the program and its arguments.
#
# The login shell is a separate process without a terminal and without input. If it hangs, exits or fails, the program
# only lacks its variables. All names of this script begin with slipway_, and none is exported.
slipway_limit=$1
shift
slipway_end=$((SECONDS + slipway_limit))

# With `setsid` the login shell has its own process group, which can be killed as one. An empty record marks the end.
exec {slipway_from}< <(
  exec setsid /bin/bash --login -c '/usr/bin/env -0 >&3 && printf "\0" >&3' 3>&1 >/dev/null 2>&1 </dev/null
)
slipway_login=$!
# The program does not run yet. A key that killed this process would end the session, and leave the login shell behind.
trap '' INT QUIT TSTP

# A record longer than the kernel's limits did not come from `env`.
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
# Otherwise the program would have an unknown child.
wait "$slipway_login" 2>/dev/null

# Variables of this process, which the program inherits unchanged, and names that a shell cannot export.
slipway_skips() {
  case $1 in
  _ | SHLVL | PWD | OLDPWD | SLIPWAY_* | slipway_* | [0-9]* | *[!A-Za-z0-9_]* | '') return 0 ;;
  esac
  return 1
}
if [[ $slipway_complete ]]; then
  # A variable that the login has unset is unset for the program, too.
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
