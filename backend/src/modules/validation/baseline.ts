/** A copy of a task's work tree as it was at its start, in which the same commands run once more. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { ContainerRuntime, RunOptions } from '../../runtime/port.ts'
import { ownFolder } from '../git/work-tree.ts'

/** Longest time for the copy, in seconds: dependencies have many files. */
const COPY_SECONDS = 60
/** What a busy engine may take in addition, in milliseconds. */
const ENGINE_MS = 10 * SECOND_MS
/** Most of what git ignores, without dependencies, that is copied, in KiB. */
const IGNORED_KIB = 524_288
/** Longest path, in bytes: PATH_MAX of Linux. */
const OUTPUT_BYTES = 4096
/** In the home, so that the files of dependencies can be shared. */
const COPIES = `${AGENT_HOME}/.cache/slipway/validation`

const SCRIPT = readFileSync(new URL('scripts/baseline.sh', import.meta.url), 'utf8')

const options = (args: readonly string[]): RunOptions => ({
  argv: ['timeout', '-k', '1', `${COPY_SECONDS}`, '/bin/sh', '-c', SCRIPT, 'slipway-baseline', ...args],
  timeoutMs: COPY_SECONDS * SECOND_MS + ENGINE_MS,
  maxOutputBytes: OUTPUT_BYTES,
})

/** The start of a task. */
export interface Start {
  readonly runId: string
  readonly tree: string
  /** The root of the project, relative to the top of the work tree. */
  readonly prefix: string
}

/**
 * Makes the copy, and answers the folder of its root. Null: the container has not kept the start, or it could not be
 * copied. Throws what the runtime throws.
 */
export const makeBaseline = async (
  runtime: Pick<ContainerRuntime, 'run'>,
  containerId: string,
  { runId, tree, prefix }: Start,
): Promise<string | null> => {
  const { exitCode, stdout } = await runtime.run(
    containerId,
    options(['make', ownFolder(runId), tree, COPIES, runId, `${IGNORED_KIB}`, prefix]),
  )
  const folder = stdout.toString()
  return exitCode === 0 && folder.startsWith(`${COPIES}/${runId}/`) ? folder.replace(/\/$/, '') : null
}

/** Removes all copies. Throws what the runtime throws. */
export const removeBaseline = async (runtime: Pick<ContainerRuntime, 'run'>, containerId: string): Promise<void> => {
  await runtime.run(containerId, options(['remove', COPIES]))
}
