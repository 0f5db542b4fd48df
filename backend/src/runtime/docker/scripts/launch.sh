# First process of a terminal: sets the size before the program can ask for it, says who it is, and becomes the program.
# Arguments: rows, columns, then the program and its arguments.
stty rows "$1" cols "$2" 2>/dev/null
shift 2
announce
exec "$@"
