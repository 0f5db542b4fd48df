# Finds the repositories of a home without git, so that nothing of them counts. Arguments: the home, the depth, most of them, and
# folders in which none is looked for, by name or by path. Prints the path, the kind and the HEAD of each, with a NUL behind each part.
PATH=/usr/local/bin:/usr/bin:/bin
export LC_ALL=C
cd -P -- "$1" || exit 21
depth=$2 most=$3
shift 3
for name; do
  case $name in */*) set -- "$@" -o -path "./$name" ;; *) set -- "$@" -o -name "$name" ;; esac
  shift
done
shift
find . -maxdepth "$depth" -type d \( "$@" \) -prune -o -name .git -prune -print0 2>/dev/null |
  head -z -n "$((most + 1))" | xargs -0 -r /bin/sh -c '
    for found; do
      kind=main git=$found
      if [ -f "$found" ]; then
        kind=linked
        line=$(head -c 4096 -- "$found" | tr -d "\000" | head -n 1)
        git=${line#gitdir: }
        case $git in /*) ;; *) git=${found%/.git}/$git ;; esac
      fi
      head=
      [ ! -f "$git/HEAD" ] || head=$(head -c 1024 -- "$git/HEAD" | tr -d "\000" | head -n 1)
      printf "%s\0" "${found%/.git}" "$kind" "$head"
    done' slipway-list
