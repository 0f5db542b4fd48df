# First process of a program without a terminal: goes to its folder, says who it is, and becomes the program.
# Arguments: the folder, then the program and its arguments. Prints "slipway folder" where that is no folder of the
# home. Builtins alone, and the folder is looked at from inside it, so that no link can be changed between the look and
# the start.
outside() {
  echo 'slipway folder'
  exit 125
}
cd -P -- "$1" 2>/dev/null || outside
case $PWD/ in
/home/developer/*) ;;
*) outside ;;
esac
unset OLDPWD
shift
announce
exec "$@"
