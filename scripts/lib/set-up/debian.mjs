// Installing what the machine lacks, where that is ours to do: on Debian and Ubuntu, as root.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { capture, mustRun } from '../commands.mjs'
import { withLock } from '../lock.mjs'
import { SetUpError } from '../steps.mjs'

/** For how long somebody else's installation is waited for, in seconds: a machine that has just started upgrades itself. */
const OTHERS_WITHIN_S = 600

/** Fields of /etc/os-release, empty where there is none. */
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
 * @param {string[]} packages names; with none, only whether installing would be allowed is checked
 * @param {{purpose: string, otherwise: string, announce: (line: string) => void, startServices?: boolean}} what
 *   `purpose` completes "… is needed", `otherwise` is the advice given where nothing may be installed; with
 *   `startServices: false` the package is there and its service does not run
 * @throws {SetUpError} when this is no Debian or Ubuntu, not root, or SLIPWAY_NO_INSTALL is set
 */
export const aptInstall = async (packages, { purpose, otherwise, announce, startServices = true }) => {
  const refuse = (why) => new SetUpError(`${purpose}, and ${why}. ${otherwise}`)
  if (process.env.SLIPWAY_NO_INSTALL === '1') throw refuse('SLIPWAY_NO_INSTALL=1 forbids to install it')
  if (!isDebianLike()) throw refuse('it is installed by itself only on Debian and Ubuntu')
  if (process.getuid?.() !== 0) throw refuse('only root can install it')

  if (packages.length === 0) return
  const onWait = () => announce('waiting for another installation')
  // Steps of the set-up run side by side, and apt-get refuses to.
  await withLock('apt', { onWait }, async () => {
    announce(`installing ${packages.join(', ')} with apt-get`)
    let isTold = false
    // It says so every second.
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
  // The package lists may be fresh already; where they are not, a first failure is no news.
  if ((await capture(argv, { env, onLine })).code === 0) return
  await mustRun(['apt-get', 'update'], { env })
  await mustRun(argv, { env, onLine })
}

/** Asked by every package before it starts its service; 101 forbids it (invoke-rc.d(8)). */
const POLICY_FILE = '/usr/sbin/policy-rc.d'

const forbidServices = () => {
  if (existsSync(POLICY_FILE)) return () => {}
  writeFileSync(POLICY_FILE, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  return () => rmSync(POLICY_FILE)
}

/** Whether a program is found on the PATH. */
export const hasProgram = async (name) => (await capture(['which', name])).code === 0
