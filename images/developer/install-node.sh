#!/bin/sh
# Puts the Node and npm named in /pins into /opt/node, laid out like /usr/local.
set -eu

case "$(dpkg --print-architecture)" in
  amd64) arch=x64 ;;
  arm64) arch=arm64 ;;
  *) echo "no Node is published for $(dpkg --print-architecture)" >&2; exit 1 ;;
esac
[ ! -f /build/npmrc ] || export NPM_CONFIG_USERCONFIG=/build/npmrc

# npm names the binary's package after its platform; the version is that of the package `node`.
version=$(sed 's/.*@//' /pins/node)
mkdir -p /tmp/fetch /opt/node/bin /opt/node/lib/node_modules
cd /tmp/fetch
echo '{"private":true}' > package.json
npm install --no-audit --no-fund --no-update-notifier --ignore-scripts \
  "node-linux-$arch@$version" "$(cat /pins/npm)"

cp "node_modules/node-linux-$arch/bin/node" /opt/node/bin/node
cp -R node_modules/npm /opt/node/lib/node_modules/npm
ln -s ../lib/node_modules/npm/bin/npm-cli.js /opt/node/bin/npm
ln -s ../lib/node_modules/npm/bin/npx-cli.js /opt/node/bin/npx
/opt/node/bin/node --version
