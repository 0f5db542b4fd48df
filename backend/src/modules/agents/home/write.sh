# Writes files that are absent. Arguments, in threes: path relative to the home, mode in octal, content.
#
# A file that cannot be written is left out, since only a running agent lets its user repair the place. A folder of its
# path may be a link that leads nowhere, a file, or without permission. Only a home that the user cannot write to fails.
set -u
cd "$HOME" || exit 1
[ -w . ] || { echo "$HOME is not writable" >&2; exit 1; }
umask 077

write() {
  draft=$1.slipway-new
  case $1 in */*) mkdir -p "${1%/*}" || return ;; esac
  # It may be the draft of a start that was cut off, or a pipe, which would block.
  rm -f "$draft" || return
  printf '%s' "$3" >"$draft" && chmod "$2" "$draft" && mv -f "$draft" "$1" || rm -f "$draft"
}

while [ $# -ge 3 ]; do
  [ -e "$1" ] || write "$1" "$2" "$3" 2>/dev/null
  shift 3
done
exit 0
