# Names the files below a folder of the home, without those that git ignores, caches of the home, and `node_modules`.
# Arguments: the home, an absolute path (escaped for `printf %b`), the highest number of files. It prints strings, each ended
# by NUL: the real path of the folder, and the path of each file below it. Exit codes: see program.ts.
PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C
home=$(cd -P -- "$1" && pwd -P) || exit 13
# Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
path=$(printf '%b.' "$2")
path=${path%.}

[ -e "$path" ] || [ -L "$path" ] || exit 10
[ -d "$path" ] || exit 17
cd -P -- "$path" 2>/dev/null || exit 13
# Another program can exchange a link's target between a check and its use, but not the entered folder.
real=$(readlink "/proc/$$/cwd" && echo .)
real=${real%??}
case $real in "$home" | "$home"/*) ;; *) exit 11 ;; esac
[ -r . ] || exit 13

printf '%s\0' "$real"
# Hidden folders of the home are caches and settings of programs.
hidden='!/.*/'
[ "$real" = "$home" ] || hidden='!.git'
if command -v rg >/dev/null; then
  rg --no-config --no-messages --files --null --hidden -g '!.git' -g '!node_modules' -g "$hidden" | head -z -n "$3"
else
  find . \( -name .git -o -name node_modules -o -path './.*' -type d \) -prune -o -type f -print0 2>/dev/null |
    head -z -n "$3"
fi
