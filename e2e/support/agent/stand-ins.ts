/**
 * An image for agents in which the outside world is there before anything is set up: a git host with one repository, that
 * host's API, and a model. A clone works at once; the programs that serve the rest have to be started.
 */
import { readFileSync } from 'node:fs'
import { GIT_HOST_PROGRAM } from '@slipway/testing/git-host'
import { until } from '@slipway/testing'
import { buildImage, docker, runIn } from '../engine.ts'
import type { Script } from '../tasks/model.ts'

const MODEL_PORT = 9433
const HOST_PORT = 9510
/** It serves https, so that the host's address needs no port. The port before it is that of http. */
const GIT_PORT = 443
const FOLDER = '/srv/stand-ins'

const HOST = 'github.localhost'
/** The address of the repository. */
export const REPOSITORY = `https://${HOST}/harbour/api.git`
/** Stands for `ssh`: what it would run on the host runs here, beside the repositories. */
const SSH = `#!/bin/sh
for command; do :; done
cd ${FOLDER} && eval "exec $command"
`
/** A clone reads it, and so needs no server, which may start after it. */
const GIT_CONFIG = `[safe]
	directory = *
[url "git@${HOST}:"]
	insteadOf = https://${HOST}/
`
const fileOf = (name: string): Buffer => readFileSync(new URL(name, import.meta.url))

/** Builds it. `make` runs in the work tree of the repository's first commit. `script` is what the model answers. */
export const buildStandIns = async (tag: string, make: string, script: Script): Promise<void> => {
  const { SLIPWAY_TEST_IMAGE: image = '' } = process.env
  const { Config } = await docker.getImage(image).inspect()
  const files = {
    [`${FOLDER}/git-host.mjs`]: GIT_HOST_PROGRAM,
    [`${FOLDER}/github-host.mjs`]: fileOf('github-host.mjs'),
    [`${FOLDER}/scripted-model.mjs`]: fileOf('scripted-model.mjs'),
    [`${FOLDER}/script.mjs`]: fileOf('script.mjs'),
    [`${FOLDER}/steps.json`]: JSON.stringify(script),
    '/usr/local/bin/ssh': SSH,
    '/etc/gitconfig': GIT_CONFIG,
    [`${FOLDER}/make.sh`]: `set -e
cd ${FOLDER} && mkdir harbour && git init -q --bare -b main harbour/api.git && git clone -q harbour/api.git tree && cd tree
git config user.name Ada && git config user.email ada@example.org
${make}
git add -A && git commit -qm start && git push -q origin HEAD:main && cd .. && rm -rf tree
git -C harbour/api.git config http.receivepack true
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${HOST} -addext subjectAltName=DNS:${HOST} -keyout key.pem -out cert.pem
cat cert.pem >>/etc/ssl/certs/ca-certificates.crt
chmod -R a+rwX ${FOLDER}
`,
  }
  const put = Object.entries(files).map(
    ([path, content]) => `echo ${Buffer.from(content).toString('base64')} | base64 -d >${path}`,
  )
  const run = [`mkdir ${FOLDER}`, ...put, 'chmod +x /usr/local/bin/ssh', `sh ${FOLDER}/make.sh`]
  const lines = [
    `FROM ${image}`,
    'USER 0',
    `RUN ${run.join(' && ')}`,
    `ENV ANTHROPIC_BASE_URL=http://127.0.0.1:${MODEL_PORT} HTTP_PROXY=http://127.0.0.1:${HOST_PORT} NO_PROXY=127.0.0.1`,
    `USER ${Config.User}`,
  ]
  await buildImage(tag, lines.join('\n'))
}

const isRunning = async (container: string): Promise<boolean> => {
  const found = await docker
    .getContainer(container)
    .inspect()
    .catch(() => null)
  return found?.State.Running === true
}

/** Starts the model, the git host and its API in a container of the image, once it runs. They answer when it resolves. */
export const startStandIns = async (container: string): Promise<void> => {
  const script = `cd ${FOLDER}
    setsid node scripted-model.mjs ${MODEL_PORT} steps.json >model.out 2>&1 &
    setsid node git-host.mjs ${FOLDER} ${GIT_PORT - 1} >git.out 2>&1 &
    setsid node github-host.mjs host.log ${HOST_PORT} >host.out 2>&1 &
    for port in ${MODEL_PORT} ${GIT_PORT - 1} ${HOST_PORT}; do
      n=0; until curl -s --noproxy '*' -o up http://127.0.0.1:$port/; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done
    done`
  await until('the container', () => isRunning(container))
  await runIn(container, ['sh', '-c', script])
}
