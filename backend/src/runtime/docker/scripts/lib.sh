# Shared by the scripts that look at processes.

# What a person put into the home's own path must not stand for the few programs that the scripts call.
PATH=/usr/sbin:/usr/bin:/sbin:/bin

# Sets stat to the whole of a process's stat file; fails when it is gone. The name in it may hold a line's end, which
# must not hide the process, so its lines are put together; what follows the name begins at its last ") ".
read_stat() {
  stat=
  while read -r line || [ -n "$line" ]; do
    stat="$stat $line"
  done 2>/dev/null <"/proc/$1/stat"
  [ -n "$stat" ]
}

# Sets mask to the signals that a process ignores, in hexadecimal. The kernel escapes the name here.
read_ignored() {
  mask=
  while read -r key value; do
    [ "$key" = SigIgn: ] && mask=$value && break
  done 2>/dev/null <"/proc/$1/status"
}
