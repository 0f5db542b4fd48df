# Prints what the container has used since its start and uses now, as lines "name number". They come from its own control
# group (version 2 or 1) and network. There is one line per network and disk, so names may repeat.
first() {
  value=0
  for file; do
    [ -r "$file" ] && read -r value _ <"$file" && return
  done
}
field() {
  value=0
  name=$1
  shift
  for file; do
    [ -r "$file" ] || continue
    while read -r key number _; do
      [ "$key" = "$name" ] && value=$number && return
    done <"$file"
  done
}
cpu() {
  field usage_usec /sys/fs/cgroup/cpu.stat
  value=$((value * 1000))
  [ "$value" -gt 0 ] || first /sys/fs/cgroup/cpuacct/cpuacct.usage /sys/fs/cgroup/cpu,cpuacct/cpuacct.usage
}
say() { printf '%s %s\n' "$1" "$value"; }

first /sys/fs/cgroup/pids.current /sys/fs/cgroup/pids/pids.current
say processes
first /sys/fs/cgroup/memory.current /sys/fs/cgroup/memory/memory.usage_in_bytes
say memory
first /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes
say limit
field inactive_file /sys/fs/cgroup/memory.stat
[ "$value" != 0 ] || field total_inactive_file /sys/fs/cgroup/memory/memory.stat
say cache
while read -r name received _ _ _ _ _ _ _ sent _; do
  case $name$received in lo:* | *'|'*) continue ;; esac
  value=$received && say received
  value=$sent && say sent
done </proc/net/dev
for file in /sys/fs/cgroup/io.stat /sys/fs/cgroup/blkio/blkio.throttle.io_service_bytes; do
  [ -r "$file" ] || continue
  while read -r device rest; do
    case $rest in
      'Read '*) value=${rest#Read } && say read ;;
      'Write '*) value=${rest#Write } && say written ;;
      rbytes=*)
        value=${rest#rbytes=} value=${value%% *} && say read
        value=${rest#*wbytes=} value=${value%% *} && say written
        ;;
    esac
  done <"$file"
done
cpu
say cpu
value=$(date +%s%N)
say time
