// Restores a machine to the state before the project's first use. For machines that exist for this purpose.
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { OWN_BASE } from '../images/base-image.mjs'
import { capture, mustRun } from '../commands.mjs'
import { engineAnswers } from '../set-up/engine.mjs'
import { SetUpError } from '../steps.mjs'

/** dockerd gives its containers 10 s to stop, one after the other in the worst case. */
const STOP_WITHIN_MS = 120_000
const POLL_MS = 250

/**
 * Removes the project's images and the builder's cache of them.
 *
 * @param {string} name the developer image's, without a tag
 */
export const removeImages = async (name) => {
  if (!(await engineAnswers())) return
  const { stdout } = await mustRun(['docker', 'image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', name])
  for (const image of [...stdout.trim().split('\n').filter(Boolean), OWN_BASE]) {
    await capture(['docker', 'image', 'rm', '--force', image])
  }
  await mustRun(['docker', 'image', 'prune', '--force'])
  await capture(['docker', 'builder', 'prune', '--force'])
}

const stopDockerd = async () => {
  if (existsSync('/run/systemd/system')) {
    await mustRun(['systemctl', 'stop', 'docker.socket', 'docker.service'])
    return
  }
  if (!(await engineAnswers())) return
  process.kill(Number(readFileSync('/var/run/docker.pid', 'utf8')), 'SIGTERM')
  const deadline = Date.now() + STOP_WITHIN_MS
  while (existsSync('/var/run/docker.pid')) {
    if (Date.now() > deadline) throw new SetUpError('dockerd does not stop')
    await delay(POLL_MS)
  }
}

/**
 * Stops the engine with every container on this machine, and removes the packages that the set-up installs.
 *
 * @throws {SetUpError} when this is not root on a Debian
 */
export const removePrograms = async () => {
  if (process.getuid?.() !== 0) throw new SetUpError('--machine removes packages, which only root can do')
  await stopDockerd()
  const engine = ['docker.io', 'docker-cli', 'cgroupfs-mount', 'mmdebstrap']
  const packages = [...engine, 'chromium', 'chromium-common', 'nftables', 'nginx', 'nginx-common']
  const installed = []
  for (const name of packages) {
    const { stdout } = await capture(['dpkg-query', '--show', '--showformat', '${db:Status-Abbrev}', name])
    if (stdout.startsWith('ii')) installed.push(name)
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  if (installed.length > 0) await mustRun(['apt-get', 'remove', '-y', ...installed], { env })
}
