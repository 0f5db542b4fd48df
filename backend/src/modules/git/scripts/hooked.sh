# Runs git in a folder as a terminal does. Arguments: the folder, and those of git.
folder=$1
shift
git -C "$folder" "$@"
code=$?
# Git compares the content of a file that is of the same second as the index. The pages read it without filters, and would show the file
# as changed. So the index is written once more, a second later.
if [ "$1" != push ] && git -C "$folder" config --get-regexp '^filter\.' >/dev/null 2>&1 </dev/null; then
  sleep 1
  git -C "$folder" status >/dev/null 2>&1 </dev/null
fi
exit "$code"
