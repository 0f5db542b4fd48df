# Lists the processes, three lines each: "P <uptime> <pid> <stat after the name> <SigIgn>", "C <command line, base64>",
# "S <terminal session>". The listing itself is left out.
# The platform's own: what keeps a terminal.
is_holder() {
  for holder in /usr/local/lib/slipway/holder /tmp/.slipway/holder-*; do
    [ "$1" -ef "$holder" ] && return 0
  done
  return 1
}
read -r uptime _ </proc/uptime
for entry in /proc/[0-9]*; do
  pid=${entry#/proc/}
  [ "$pid" = $$ ] && continue
  is_holder "$entry/exe" && continue
  read_stat "$pid" || continue
  read_ignored "$pid"
  printf 'P %s %s %s %s\n' "$uptime" "$pid" "${mask:-0}" "${stat##*) }"
  printf 'C %s\n' "$(head -c 1024 "$entry/cmdline" 2>/dev/null | base64 | tr -d '\n')"
  printf 'S %s\n' "$(grep -z -m 1 '^SLIPWAY_SESSION=' "$entry/environ" 2>/dev/null | head -c 60 | tr -dc 'A-Za-z0-9=_-')"
done
