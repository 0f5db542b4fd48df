// Finds the Docker Engine, or installs and starts one where the set-up may do so.
import { existsSync, readFileSync } from 'node:fs'
import { capture } from '../commands.mjs'
import { aptInstall, hasProgram } from './debian.mjs'
import { startDockerd } from './dockerd.mjs'
import { SetUpError } from '../steps.mjs'

const ADVICE = 'Install Docker (or another engine with its API) and start it, or name a running one in DOCKER_HOST.'

/** How long one question to the engine may take, in milliseconds. A busy engine answers within a second. */
const ANSWER_MS = 10_000

const ask = () => capture(['docker', 'version', '--format', '{{.Server.Version}}'], { timeoutMs: ANSWER_MS })

/** Whether an engine answers at DOCKER_HOST, or at the client's default. */
export const engineAnswers = async () => (await ask()).code === 0

/**
 * The backend knows only DOCKER_HOST. The `docker` client may have another setting, a "context", as Docker Desktop,
 * Colima and rootless engines set one. This function copies the client's choice.
 */
const adoptContext = async () => {
  if (process.env.DOCKER_HOST) return
  const format = '{{.Endpoints.docker.Host}}'
  const { code, stdout } = await capture(['docker', 'context', 'inspect', '--format', format])
  const host = stdout.trim()
  if (code === 0 && host && host !== 'unix:///var/run/docker.sock') process.env.DOCKER_HOST = host
}

/**
 * Makes sure that a Docker Engine answers. Sets DOCKER_HOST in this process if the client has another default.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} with advice, when there is none and the set-up may not install or start it
 */
export const ensureEngine = async ({ announce }) => {
  const first = await ask()
  if (first.code === 0) return adoptContext()

  if (process.env.DOCKER_HOST) {
    throw new SetUpError(`no Docker Engine answers at DOCKER_HOST (${process.env.DOCKER_HOST}): ${first.output.trim()}`)
  }
  if (/permission denied/i.test(first.output)) {
    throw new SetUpError('the Docker Engine refuses this user: add it to the group `docker`, and sign in again.')
  }

  const purpose = 'a Docker Engine is needed and none answers'
  const packages = []
  if (!(await hasProgram('dockerd'))) packages.push('docker.io', 'ca-certificates')
  if (hasAppArmor()) packages.push('apparmor')
  if (!hasCgroups()) packages.push('cgroupfs-mount')
  await aptInstall(packages, { purpose, otherwise: ADVICE, announce })
  if (!(await hasProgram('docker'))) {
    await aptInstall(['docker-cli'], { purpose, otherwise: ADVICE, announce })
  }
  // If there is an init system, the package's own scripts start the engine.
  if (await engineAnswers()) return
  if (existsSync('/run/systemd/system')) {
    await capture(['systemctl', 'start', 'docker'])
    if (await engineAnswers()) return
  }
  if (!hasCgroups()) await capture(['cgroupfs-mount'])
  await startDockerd({ announce, answers: engineAnswers })
}

/** Containers need control groups. A machine without an init system may not have mounted them. */
const hasCgroups = () =>
  !existsSync('/proc/self/mounts') || / cgroup2? /.test(readFileSync('/proc/self/mounts', 'utf8'))

/** If the kernel has AppArmor, the engine needs its tools to load a profile. Without them it starts no container. */
const hasAppArmor = () => {
  const file = '/sys/module/apparmor/parameters/enabled'
  return existsSync(file) && readFileSync(file, 'utf8').startsWith('Y')
}
