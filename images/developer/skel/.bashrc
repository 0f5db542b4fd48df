# Read by interactive shells. Yours to change: the platform writes it once, with a new home.
case $- in
  *i*) ;;
  *) return ;;
esac

HISTCONTROL=ignoreboth
HISTSIZE=10000
HISTFILESIZE=20000
shopt -s histappend checkwinsize globstar
# Several terminals share the home: write each command at once, so that none loses another's history.
PROMPT_COMMAND='history -a'

# agent:folder (branch)$ in colours, and a red number after a command that failed.
__branch() {
  local branch
  branch=$(git symbolic-ref --quiet --short HEAD 2>/dev/null) && printf ' (%s)' "$branch"
}
__failed() {
  local code=$?
  [ "$code" -eq 0 ] || printf '%s ' "$code"
}
PS1='\[\e[31m\]$(__failed)\[\e[1;32m\]\h\[\e[0m\]:\[\e[1;34m\]\w\[\e[0;36m\]$(__branch)\[\e[0m\]\$ '
# The window's title is the folder.
PS1="\[\e]0;\w\a\]$PS1"

alias ls='ls --color=auto'
alias ll='ls -alF'
alias grep='grep --color=auto'

if [ -f /usr/share/bash-completion/bash_completion ]; then
  . /usr/share/bash-completion/bash_completion
fi
