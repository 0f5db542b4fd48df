# First process of a program without a terminal. It enters the folder, announces itself, and becomes the program.
# Arguments: the folder, then the program and its arguments. Prints "slipway folder" if that is not a folder of the home.
# It uses only builtins, and checks the folder from inside it, so that no link can change between the check and the start.
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
