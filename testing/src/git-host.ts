/** A git host over HTTP that runs inside an agent. */
import { readFileSync } from 'node:fs'

/** The program. It runs in an agent's Node.js. */
export const GIT_HOST_PROGRAM = readFileSync(new URL('git-host.mjs', import.meta.url), 'utf8')
/** The port on which it listens in the agent. */
export const GIT_HOST_PORT = 9520

/** The address of the host over HTTPS, with a certificate that no program trusts. */
export const GIT_HOST_HTTPS = `https://127.0.0.1:${GIT_HOST_PORT + 1}`

/** The address of a repository. `how` is `private`, `held`, or empty. */
export const gitHostUrl = (name: string, how = ''): string =>
  `http://127.0.0.1:${GIT_HOST_PORT}/${how === '' ? '' : `${how}/`}${name}.git`

/**
 * A script for a shell in the agent. It makes bare repositories below `~/host`, starts the host, and ends when it answers.
 * `make` runs in a new work tree, whose commits are pushed to `<name>.git` as `main`.
 */
export const gitHostScript = (name: string, make: string, password = ''): string => `set -e
  mkdir -p ~/host && cd ~/host
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout key.pem -out cert.pem 2>/dev/null
  git init -q --bare -b main ${name}.git
  git init -q -b main work && cd work
  git config user.name Tester && git config user.email tester@example.org
  ${make}
  git push -q ../${name}.git --all && git push -q ../${name}.git --tags
  cd .. && rm -rf work
  cat >host.mjs <<'PROGRAM'
${GIT_HOST_PROGRAM}
PROGRAM
  setsid node host.mjs "$PWD" ${GIT_HOST_PORT} '${password}' >out 2>&1 </dev/null &
  n=0
  until curl -s -o up http://127.0.0.1:${GIT_HOST_PORT}/; do n=$((n+1)); [ $n -lt 300 ] || exit 1; sleep 0.1; done
  : >requests`
