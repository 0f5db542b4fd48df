/** The working folder that a request names as `cwd`. */
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'

/** Longest time for a look at a folder, in milliseconds. */
const LOOK_MS = 10 * SECOND_MS
/** Longest path of Linux, in bytes (`PATH_MAX`). */
const PATH_BYTES = 4096

/** The absolute path of a folder as a request names it. */
export const folderOf = (cwd = ''): string => (cwd.startsWith('/') ? cwd : `${AGENT_HOME}/${cwd}`.replace(/\/$/, ''))

export const badFolder = (cause?: unknown): AppError =>
  new AppError('VALIDATION', `body.cwd: must be a folder inside ${AGENT_HOME}`, { cause })

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
