/** What is looked at in the container before a CLI starts there. */
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { TaskProvider } from '../../providers/task-provider.ts'
import type { InstalledClis } from '../cli-providers/installed.ts'

/** Longest time for a look at a folder, in milliseconds. */
const LOOK_MS = 10 * SECOND_MS
/** Longest path of Linux, in bytes (`PATH_MAX`). */
const PATH_BYTES = 4096

export const badFolder = (cause?: unknown): AppError =>
  new AppError('VALIDATION', `body.cwd: must be a folder inside ${AGENT_HOME}`, { cause })

/** Throws `CLI_NOT_INSTALLED` with the command that installs it. */
export const requireCli = async (
  installed: Pick<InstalledClis, 'has'>,
  containerId: string,
  agent: string,
  { label, binary, installCommand }: Pick<TaskProvider, 'label' | 'binary' | 'installCommand'>,
): Promise<void> => {
  if (await installed.has(containerId, binary)) return
  const advice = installCommand === null ? '' : ` To install it, run in a terminal: ${installCommand}`
  throw new AppError('CLI_NOT_INSTALLED', `Agent '${agent}' has no ${binary}, the program of ${label}.${advice}`)
}

/** Throws `KEY_REFUSED` if the CLI cannot use the key of these variables. */
export const requireKey = ({ headless }: TaskProvider, variables: Readonly<Record<string, string>>): void => {
  const refusal = headless.keyRefusal?.(variables) ?? null
  if (refusal !== null) throw new AppError('KEY_REFUSED', refusal)
}

/**
 * Throws if the folder is not one inside the home, with its links resolved. A program on pipes is started with this check.
 * On a terminal its user may go anywhere, so this only finds mistakes.
 */
export const requireFolder = async (
  runtime: Pick<ContainerRuntime, 'run'>,
  containerId: string,
  folder: string,
): Promise<void> => {
  const argv = ['/bin/sh', '-c', 'cd -P -- "$1" && pwd -P', 'sh', folder]
  const { exitCode, stdout } = await runtime.run(containerId, { argv, timeoutMs: LOOK_MS, maxOutputBytes: PATH_BYTES })
  const path = stdout.toString('utf8').replace(/\n$/, '')
  if (exitCode !== 0 || !(path === AGENT_HOME || path.startsWith(`${AGENT_HOME}/`))) throw badFolder()
}
