# Read by every interactive bash, before ~/.bashrc. While its user edits a command line, bash counts the columns of each character
# of an emoji; other programs count two for the whole emoji. The terminal's mode 2027 tells it which of them writes.
# An element of its own: ~/.bashrc sets the first one.
case ${TERM-} in
xterm*)
  PROMPT_COMMAND[1]='printf "\e[?2027l"'
  # Output begins a line, as after the mode that bash itself resets here.
  PS0='\e[?2027h\r'
  ;;
esac
