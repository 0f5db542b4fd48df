# Continues stopped processes in the group of a terminal's program. The launcher (launch.sh) notices a stop of the program
# itself. If another process of the group stops alone, only its parent notices, and that is not a shell.
# Arguments: pid and start ticks of the launcher.
look() {
  read_stat "$1" || return 1
  set -- ${stat##*) }
  state=$1 ppid=$2 group=$3 foreground=$6 start=${20}
}
look "$1" && [ "$start" = "$2" ] || exit 0
terminal=$foreground
# If another group than the program's has the terminal, there is job control already.
look "$terminal" && [ "$ppid" = "$1" ] || exit 0
for entry in /proc/[0-9]*; do
  look "${entry#/proc/}" && [ "$group" = "$terminal" ] && [ "$state" = T ] || continue
  kill -s CONT -- "-$terminal"
  exit
done
