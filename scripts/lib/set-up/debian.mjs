// Installs missing packages where the set-up may do so: on Debian and Ubuntu, as root.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { capture, mustRun } from '../commands.mjs'
import { withLock } from '../lock.mjs'
import { SetUpError } from '../steps.mjs'

/**
 * How long the set-up waits for another installation, in seconds. A machine that has just started may upgrade itself.
 */
const OTHERS_WITHIN_S = 600

/** Fields of /etc/os-release. Empty if the file does not exist. */
export const osRelease = () => {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').split('\n')
    return Object.fromEntries(
      lines
        .filter((line) => line.includes('='))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).replace(/^"|"$/g, '')]),
    )
  } catch {
    return {}
  }
}

const isDebianLike = () => {
  const { ID = '', ID_LIKE = '' } = osRelease()
  return [ID, ...ID_LIKE.split(' ')].some((id) => id === 'debian' || id === 'ubuntu')
}

/**
 * Installs Debian packages.
 *
 * @param {string[]} packages names; with none, only checks whether the set-up may install
 * @param {{purpose: string, otherwise: string, announce: (line: string) => void, startServices?: boolean}} what
 *   `purpose` completes "… is needed", `otherwise` is the advice if the set-up may not install; with `startServices:
 *   false` the package's service does not start
 * @throws {SetUpError} when this is no Debian or Ubuntu, not root, or SLIPWAY_NO_INSTALL is set
 */
export const aptInstall = async (packages, { purpose, otherwise, announce, startServices = true }) => {
  const refuse = (why) => new SetUpError(`${purpose}, and ${why}. ${otherwise}`)
  if (process.env.SLIPWAY_NO_INSTALL === '1') throw refuse('SLIPWAY_NO_INSTALL=1 forbids to install it')
  if (!isDebianLike()) throw refuse('it is installed by itself only on Debian and Ubuntu')
  if (process.getuid?.() !== 0) throw refuse('only root can install it')

  if (packages.length === 0) return
  const onWait = () => announce('waiting for another installation')
  // Steps of the set-up run side by side, but apt-get does not.
  await withLock('apt', { onWait }, async () => {
    announce(`installing ${packages.join(', ')} with apt-get`)
    let isTold = false
    // apt-get prints this line every second.
    const onLine = (line) => {
      if (isTold || !line.startsWith('Waiting for cache lock')) return
      isTold = true
      onWait()
    }
    const allowServices = startServices ? () => {} : forbidServices()
    try {
      await install(packages, onLine)
    } finally {
      allowServices()
    }
  })
}

const install = async (packages, onLine) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'l' }
  const patience = ['-o', `DPkg::Lock::Timeout=${OTHERS_WITHIN_S}`]
  const argv = ['apt-get', ...patience, 'install', '-y', '--no-install-recommends', ...packages]
  // The package lists may be fresh already. If they are not, a first failure is expected.
  if ((await capture(argv, { env, onLine })).code === 0) return
  await mustRun(['apt-get', 'update'], { env })
  await mustRun(argv, { env, onLine })
}

/** Every package runs this program before it starts its service. Exit code 101 forbids the start (invoke-rc.d(8)). */
const POLICY_FILE = '/usr/sbin/policy-rc.d'

const forbidServices = () => {
  if (existsSync(POLICY_FILE)) return () => {}
  writeFileSync(POLICY_FILE, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  return () => rmSync(POLICY_FILE)
}

/** Whether a program is in the PATH. */
export const hasProgram = async (name) => (await capture(['which', name])).code === 0
