# A login shell builds PATH anew from /etc/profile; this puts the home's programs back in front.
case ":$PATH:" in
  *":$HOME/.local/bin:"*) ;;
  *) PATH="$HOME/.local/bin:$PATH" ;;
esac
export PATH
