# Clones a git repository, and prints its skills like read.sh. Arguments: the address, the branch or tag or nothing, the
# size of the pack and of all files in bytes, then the script read.sh and its limits.
# Git has no configuration, no credential, no hook and no home here, so it answers for nobody and runs nothing. Exit codes:
# see read.ts.
PATH=/usr/local/bin:/usr/bin:/bin
umask 077
url=$1 ref=$2 size=$3 script=$4
shift 4
for name in $(env | sed -n 's/^\([A-Za-z0-9_]*\)=.*/\1/p'); do
  case $name in PATH | NODE_EXTRA_CA_CERTS | SSL_CERT_FILE | http_proxy | https_proxy | HTTPS_PROXY | NO_PROXY | no_proxy) ;; *) unset "$name" ;; esac
done
own=$(mktemp -d /tmp/slipway-clone-XXXXXX) || exit 1
trap 'rm -rf -- "$own"' EXIT
trap 'exit 24' HUP INT TERM
export HOME="$own" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=/bin/false LC_ALL=C
quiet() {
  git -c core.hooksPath=/dev/null -c credential.helper= -c protocol.allow=never -c protocol.http.allow=always \
    -c protocol.https.allow=always -c http.followRedirects=false -c core.fsmonitor=false -c core.attributesFile=/dev/null \
    "$@" 2>"$own/errors"
}
# In blocks of 512 bytes: no file of git grows beyond it.
ulimit -f "$((size / 512))"
quiet clone -q --depth 1 --single-branch --no-tags --no-checkout --template= ${ref:+"--branch=$ref"} -- "$url" "$own/r" ||
  { head -c 300 "$own/errors" >&2 && exit 22; }
cd -- "$own/r" || exit 1
quiet ls-tree -r -l -z HEAD | tr '\0' '\n' | awk -v most="$size" '{ sum += $4 } END { exit sum > most || NR > 20000 }' || exit 23
quiet checkout -q HEAD || { head -c 300 "$own/errors" >&2 && exit 22; }
/bin/sh -c "$script" slipway-skills folder /tmp "$own/r" "$@"
