#!/bin/sh
# install-cli.sh NAME: puts the package named in /pin into /opt/clis/NAME, unless $CLIS leaves it out.
# The folder exists in any case, so that the image can copy it.
set -eu

name=$1
mkdir -p "/opt/clis/$name"
case " $CLIS " in
  *" $name "*) ;;
  *) echo "$name is not among: $CLIS"; exit 0 ;;
esac
[ ! -f /build/npmrc ] || export NPM_CONFIG_USERCONFIG=/build/npmrc

npm install --global --prefix "/opt/clis/$name" --no-audit --no-fund "$(cat /pin)"
rm -rf /root/.npm
