# Prints skills: for each file its skill's folder, its path in it, and its content in base64, each followed by a NUL.
# Arguments: the mode, the home, the folder, then the highest numbers of skills, of files of one, and of bytes of one.
# - `folder`: all skills below the folder
# - `repository`: those that the repository of the folder brings
# Links are not followed, and nothing of what is read is run. Exit codes: see read.ts.
PATH=/usr/local/bin:/usr/bin:/bin
export LC_ALL=C
mode=$1 home=$2 folder=$3 skills=$4 files=$5 bytes=$6
cd -P -- "$folder" 2>/dev/null || exit 20
inside() { case "$(pwd -P)/" in "$home"/*) ;; *) exit 21 ;; esac; }
inside

# Prints the skills below a folder.
print_skills() {
  find -P "$1" -maxdepth 8 \( -name .git -o -name node_modules \) -prune -o -type f -name SKILL.md -printf '%h\0' |
    sort -z | head -z -n "$((skills + 1))" | xargs -0 -r -n 1 sh -c '
      files=$1 bytes=$2 skill=$3
      find -P "$skill" -maxdepth 5 \( -name .git -o -name node_modules \) -prune -o -type f -printf "%P\0" |
        sort -z | head -z -n "$((files + 1))" | xargs -0 -r -n 1 sh -c '"'"'
          printf "%s\0%s\0" "$2" "$3" && head -c "$1" -- "$2/$3" | base64 -w 0 && printf "\0"
        '"'"' slipway-skills "$bytes" "$skill"
    ' slipway-skills "$files" "$bytes"
}

case $mode in
folder) print_skills . ;;
repository)
  # Without git: it would read what the repository configures.
  while [ ! -e .git ]; do
    [ "$(pwd -P)" != "$home" ] || exit 0
    cd -P .. && inside
  done
  for place in .agents/skills .claude/skills; do
    [ -d "$place" ] && [ ! -L "$place" ] && [ ! -L "${place%/*}" ] && print_skills "$place"
  done
  ;;
esac
exit 0
