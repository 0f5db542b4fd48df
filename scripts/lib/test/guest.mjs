// A guest machine in a process, for tests that this machine's kernel cannot run: an engine with control groups of
// version 2. The kernel is Debian's user-mode Linux. The guest uses this machine's programs, and everything that they
// write is gone afterwards.
import { spawn } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { capture } from '../commands.mjs'
import { aptInstall, hasProgram } from '../set-up/debian.mjs'
import { inRoot } from '../paths.mjs'
import { SetUpError } from '../steps.mjs'

/** The programs that must exist, and the package of each. */
const PROGRAMS = { 'linux.uml': 'user-mode-linux', modprobe: 'kmod', dockerd: 'docker.io', docker: 'docker-cli' }
/**
 * Enough for an engine, a test's processes and a container of 64 MiB. This machine provides only the part that is used.
 */
const MEMORY = '1G'
/**
 * The guest boots in ten seconds, and its tests take half a minute. On a busy machine they take three minutes.
 * Milliseconds.
 */
const WITHIN_MS = 8 * 60_000
/** How many of the last lines are shown after a failure. */
const LAST_LINES = 40
/** Lines of guest.sh: the guest's engine answers, and the program has ended. */
const UP = /^the engine of the guest /
const END = /^guest ended with (\d+)$/

/** The only image in a guest, and the script that makes it from the tests' image. */
const GUEST_IMAGE = 'slipway-guest:latest'
const PACK = inRoot('backend', 'test', 'support', 'engine', 'small-image.sh')

/** The version of control groups that this machine's own engine uses. */
export const controlGroups = async () =>
  Number((await capture(['docker', 'info', '--format', '{{.CgroupVersion}}'])).stdout.trim())

/**
 * Makes sure that a guest can start.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when this is not root, or something is missing and the set-up may not install it
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

/** Writes the guest's image to a file. */
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

/** The program of a guest. It gets only the variables that tests need. Its output is not a terminal. */
const command = (argv, cwd, env) => {
  const variables = Object.entries({ ...env, SLIPWAY_TEST_IMAGE: GUEST_IMAGE, CI: '1' })
    .filter(([name]) => name.startsWith('SLIPWAY_TEST_') || name === 'CI')
    .map(([name, value]) => quoted(`${name}=${value}`))
  return `cd ${quoted(cwd)} && exec env ${[...variables, ...argv.map(quoted)].join(' ')}\n`
}

/**
 * Starts the kernel, and ends it when the input ends: when this process says so, and when this process ends for any
 * reason. A guest's processes are processes of this machine, whose system calls the kernel intercepts. They must not
 * outlive the kernel for a moment. So the kernel is stopped, its processes are killed, and the kernel ends with the
 * namespace.
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

/**
 * One of the processors that this process may use. On two, each system call in the guest wakes the other one, and
 * everything takes three times as long.
 */
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
 * @param {{cwd: string, env: NodeJS.ProcessEnv, folder: string, signal: AbortSignal, say: (line: string) => void}}
 *   options the program can leave files only in `folder`; the guest's image is made from SLIPWAY_TEST_IMAGE of the
 *   environment; `say` is called with each line that the program prints
 * @returns {Promise<number>} the program's exit code
 * @throws {SetUpError} with the guest's output, when the program did not end
 */
export const runInGuest = async (argv, { cwd, env, folder, signal, say }) => {
  await packImage(env.SLIPWAY_TEST_IMAGE, join(folder, 'image.tar'))
  copyFileSync(inRoot('scripts', 'lib', 'test', 'guest.sh'), join(folder, 'guest.sh'))
  writeFileSync(join(folder, 'command'), command(argv, cwd, env))

  const [program, ...args] = kernel(folder)
  // The kernel gets its own process group, because a kernel that panics ends all of its group.
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
