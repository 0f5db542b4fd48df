# Makes a copy of a task's work tree as it was at its start, or removes copies. Arguments: `make`, the folder with git's
# files of the task, the tree, the folder of all copies, the name of this copy, most KiB to copy, and the root relative to
# the top of the work tree. It prints the folder of the root in the copy. Or: `remove`, the folder of all copies. Exit
# codes: 20 if the start is gone, 21 for any other failure.
PATH=/usr/local/bin:/usr/bin:/bin
export LC_ALL=C
for name in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0 GIT_NO_REPLACE_OBJECTS=1
if [ "$1" = remove ]; then
  rm -rf -- "$2"
  exit
fi
own=$2 tree=$3 copies=$4 copy=$4/$5 max=$6 root=$7
[ -d "$own" ] || exit 20
IFS= read -r top <"$own/top" || exit 20
rm -rf -- "$copies"
mkdir -p -- "$copy" || exit 21
trap '[ $? = 0 ] || rm -rf -- "$copies"; rm -f "$own/index.baseline"' EXIT
trap 'exit 21' HUP INT TERM
export GIT_DIR="$own" GIT_INDEX_FILE="$own/index.baseline"
git read-tree "$tree" 2>/dev/null || exit 20
GIT_WORK_TREE="$copy" git checkout-index --all --force 2>/dev/null || exit 21

# Installed dependencies and other ignored files are not in the tree. Those of now are taken. The files of dependencies
# are shared, since programs do not write them in place.
cd -P -- "$top" || exit 21
export GIT_WORK_TREE="$top"
git ls-files -z --others --ignored --exclude-standard --directory 2>/dev/null >"$copies/ignored"
size=0
tr '\0' '\n' <"$copies/ignored" >"$copies/lines"
while IFS= read -r path; do
  path=${path%/}
  { [ -e "$path" ] || [ -L "$path" ]; } && [ ! -e "$copy/$path" ] || continue
  case $path in
    # What a path with a line feed looks like, and repositories.
    /* | .. | ../* | */../* | */.. | .git | .git/*) continue ;;
    node_modules | */node_modules)
      mkdir -p -- "$copy/${path%node_modules}" && cp -al -- "$path" "$copy/$path" || exit 21
      rm -rf -- "$copy/$path/.cache" "$copy/$path/.vite" "$copy/$path/.vite-temp"
      ;;
    *)
      size=$((size + $(du -sk -- "$path" | cut -f 1)))
      [ "$size" -le "$max" ] || exit 21
      case $path in */*) mkdir -p -- "$copy/${path%/*}" || exit 21 ;; esac
      cp -a --reflink=auto -- "$path" "$copy/$path" || exit 21
      ;;
  esac
done <"$copies/lines"
[ -d "$copy/$root" ] || exit 20
printf '%s' "$copy/$root"
