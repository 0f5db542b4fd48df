# Writes files that are absent. Arguments, in threes: path relative to the home, mode in octal, content.
set -eu
cd "$HOME"
[ -w . ] || { echo "$HOME is not writable" >&2; exit 1; }
umask 077
while [ $# -ge 3 ]; do
  if [ ! -e "$1" ]; then
    case $1 in */*) mkdir -p "${1%/*}" ;; esac
    printf '%s' "$3" >"$1.slipway-new"
    chmod "$2" "$1.slipway-new"
    mv "$1.slipway-new" "$1"
  fi
  shift 3
done
