// A machine in a process, for what this one's kernel cannot try: an engine whose control groups are of version 2. The kernel
// is Debian's user-mode Linux; its programs are this machine's own, and what they write is gone with it.
import { spawn } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { capture } from '../commands.mjs'
import { aptInstall, hasProgram } from '../set-up/debian.mjs'
import { inRoot } from '../paths.mjs'
import { SetUpError } from '../steps.mjs'

/** What has to be there, and the package that it comes in. */
const PROGRAMS = { 'linux.uml': 'user-mode-linux', modprobe: 'kmod', dockerd: 'docker.io', docker: 'docker-cli' }
/** An engine, a test's processes and a container of 64 MiB; what is not used is not taken from this machine. */
const MEMORY = '1G'
/** It boots in ten seconds and its tests take half a minute; on a busy machine three minutes. */
const WITHIN_MS = 8 * 60_000
/** Of what it printed, what is shown when it went wrong. */
const LAST_LINES = 40
/** Its engine answers, and it is over: lines of guest.sh. */
const UP = /^the engine of the guest /
const END = /^guest ended with (\d+)$/

/** The image that there is in a guest, and what makes it of the tests' own. */
const GUEST_IMAGE = 'slipway-guest:latest'
const PACK = inRoot('backend', 'test', 'support', 'small-image.sh')

/** The version of the control groups with which this machine's own engine works. */
export const controlGroups = async () =>
  Number((await capture(['docker', 'info', '--format', '{{.CgroupVersion}}'])).stdout.trim())

/**
 * Makes sure that a guest can be started.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when this is not root, or something is missing and may not be installed
 */
export const ensureGuest = async ({ announce }) => {
  if (process.getuid?.() !== 0) throw new SetUpError('only root can try control groups of version 2 in a guest.')
  const missing = []
  for (const [program, name] of Object.entries(PROGRAMS)) if (!(await hasProgram(program))) missing.push(name)
  if (missing.length === 0) return
  await aptInstall(missing, {
    purpose: 'a second kernel is needed to try control groups of version 2',
    otherwise: `Install ${missing.join(', ')}.`,
    announce,
    startServices: false,
  })
}

/** Writes the image of a guest to a file. */
const packImage = (image, file) =>
  new Promise((resolve, reject) => {
    const output = openSync(file, 'w')
    const options = ['--rm', '--network', 'none', '--user', '0', '--entrypoint', 'sh']
    const argv = ['run', ...options, image, '-c', readFileSync(PACK, 'utf8')]
    const child = spawn('docker', argv, { stdio: ['ignore', output, 'inherit'] })
    closeSync(output)
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new SetUpError(`${image} could not be packed`))))
  })

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/** What a guest runs. Of the environment it gets what is meant for tests; its output is no terminal's. */
const command = (argv, cwd, env) => {
  const variables = Object.entries({ ...env, SLIPWAY_TEST_IMAGE: GUEST_IMAGE, CI: '1' })
    .filter(([name]) => name.startsWith('SLIPWAY_TEST_') || name === 'CI')
    .map(([name, value]) => quoted(`${name}=${value}`))
  return `cd ${quoted(cwd)} && exec env ${[...variables, ...argv.map(quoted)].join(' ')}\n`
}

/**
 * Starts the kernel, and ends it when the input ends: when it is told to, and when this process ends in whatever way. The processes of
 * a guest are processes of this machine that the kernel holds back from its system calls, so they must never outlive it, not for a
 * moment: it is stopped, they are killed, and it goes with the namespace.
 */
const UNTIL_END_OF_INPUT = `end() {
  exec 2>/dev/null
  kill -STOP $kernel
  for process in /proc/[0-9]*; do
    pid=\${process#/proc/}
    [ $pid = 1 ] || [ $pid = $kernel ] || kill -KILL $pid
  done
  exit
}
exec 3<&0
linux.uml "$@" </dev/null 3<&- &
kernel=$!
trap end USR1
{ read -r _ <&3; kill -USR1 1; } &
wait $kernel
end`

/** One of those that this process may have: on two, each system call in a guest wakes the other one, and all takes three times as long. */
const processor = () => /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]

const kernel = (folder) => [
  ...['taskset', '--cpu-list', processor(), 'unshare', '--pid', '--fork', '--mount-proc'],
  ...['sh', '-c', UNTIL_END_OF_INPUT, 'guest'],
  ...[`mem=${MEMORY}`, `uml_dir=${folder}/`, 'quiet', 'loglevel=1', 'con=null', 'con0=null,fd:1'],
  ...['root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro', 'init=/bin/sh', '--', join(folder, 'guest.sh')],
]

/**
 * Runs a program in a guest.
 *
 * @param {string[]} argv
 * @param {{cwd: string, env: NodeJS.ProcessEnv, folder: string, signal: AbortSignal, say: (line: string) => void}} options `folder` is
 *   the only one in which the program can leave something; SLIPWAY_TEST_IMAGE of the environment is the image of which its own is made;
 *   `say` is called with each line that the program prints
 * @returns {Promise<number>} the program's exit code
 * @throws {SetUpError} with what the guest said, when it did not come to an end
 */
export const runInGuest = async (argv, { cwd, env, folder, signal, say }) => {
  await packImage(env.SLIPWAY_TEST_IMAGE, join(folder, 'image.tar'))
  copyFileSync(inRoot('scripts', 'lib', 'test', 'guest.sh'), join(folder, 'guest.sh'))
  writeFileSync(join(folder, 'command'), command(argv, cwd, env))

  const [program, ...args] = kernel(folder)
  // A group of its own: a kernel that panics ends all of its group.
  const guest = spawn(program, args, { detached: true })
  const end = () => guest.stdin.end()
  const over = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)])
  over.addEventListener('abort', end)
  if (over.aborted) end()
  const last = []
  let isUp = false
  let code = null
  const take = (line) => {
    last.push(line)
    if (last.length > LAST_LINES) last.shift()
    isUp ||= UP.test(line)
    const ended = END.exec(line)
    if (ended) {
      code = Number(ended[1])
      end()
    } else if (isUp && code === null) say(line)
  }
  for (const output of [guest.stdout, guest.stderr]) createInterface({ input: output }).on('line', take)
  await new Promise((resolve) => guest.on('close', resolve).on('error', (error) => resolve(take(error.message))))
  if (code === null) throw new SetUpError(`the guest did not come to an end. It said last:\n${last.join('\n')}`)
  return code
}
