# Shared by the scripts that read processes.

# Programs in the home's own path must not replace the few programs that the scripts call.
PATH=/usr/sbin:/usr/bin:/sbin:/bin

# Sets stat to the content of a process's stat file. Fails if the process is gone. A newline in the process's name must not
# hide it, so all lines are joined. The fields after the name begin at the last ") ".
read_stat() {
  stat=
  while read -r line || [ -n "$line" ]; do
    stat="$stat $line"
  done 2>/dev/null <"/proc/$1/stat"
  [ -n "$stat" ]
}

# Sets mask to the signals that a process ignores, in hexadecimal. In this file the kernel escapes the name.
read_ignored() {
  mask=
  while read -r key value; do
    [ "$key" = SigIgn: ] && mask=$value && break
  done 2>/dev/null <"/proc/$1/status"
}
