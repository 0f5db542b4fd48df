# Lists the processes, three lines each: "P <uptime> <pid> <stat after the name> <SigIgn>", "C <command line, base64>",
# "S <terminal session>". It omits itself, and the image's holder, which keeps a terminal. It does not omit a copied holder:
# that file belongs to the agent, and may be any program.
holder=/usr/local/lib/slipway/holder
# Whether it, and each folder in its path, belongs to root, and the agent's user, who runs this, cannot write to it.
is_roots() {
  [ -L "$holder" ] && return 1
  for path in / /usr /usr/local /usr/local/lib /usr/local/lib/slipway "$holder"; do
    [ -w "$path" ] && return 1
  done
  ls -ldn / /usr /usr/local /usr/local/lib /usr/local/lib/slipway "$holder" 2>/dev/null |
    while read -r _ _ uid _; do
      [ "$uid" = 0 ] || exit 1
    done
}
is_roots || holder=
read -r uptime _ </proc/uptime
for entry in /proc/[0-9]*; do
  pid=${entry#/proc/}
  [ "$pid" = $$ ] && continue
  [ -n "$holder" ] && [ "$entry/exe" -ef "$holder" ] && continue
  read_stat "$pid" || continue
  read_ignored "$pid"
  printf 'P %s %s %s %s\n' "$uptime" "$pid" "${mask:-0}" "${stat##*) }"
  printf 'C %s\n' "$(head -c 1024 "$entry/cmdline" 2>/dev/null | base64 | tr -d '\n')"
  printf 'S %s\n' "$(grep -z -m 1 '^SLIPWAY_SESSION=' "$entry/environ" 2>/dev/null | head -c 60 | tr -dc 'A-Za-z0-9=_-')"
done
