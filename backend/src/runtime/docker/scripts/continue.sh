# Continues what has stopped in the group of a terminal's program. The launcher (launch.sh) hears of the program itself; of
# a process of its group that stops alone only that one's parent does, and no shell is among them.
# Arguments: pid and start ticks of the launcher.
look() {
  read_stat "$1" || return 1
  set -- ${stat##*) }
  state=$1 ppid=$2 group=$3 foreground=$6 start=${20}
}
look "$1" && [ "$start" = "$2" ] || exit 0
terminal=$foreground
# Where another group than the program's has the terminal there is job control.
look "$terminal" && [ "$ppid" = "$1" ] || exit 0
for entry in /proc/[0-9]*; do
  look "${entry#/proc/}" && [ "$group" = "$terminal" ] && [ "$state" = T ] || continue
  kill -s CONT -- "-$terminal"
  exit
done
