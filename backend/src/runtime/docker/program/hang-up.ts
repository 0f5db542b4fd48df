/** Ends the processes of a terminal inside its container. */
import { RuntimeError } from '../../errors.ts'
import type { RunOptions, RunResult } from '../../port.ts'
import { scriptArgv } from '../scripts.ts'

/** From the hang-up to the kill, in seconds: what a closed terminal's programs get to save their work. */
export const HANGUP_GRACE_SECONDS = 5
/** Tries while the container has no room for the killer itself, as under a fork bomb. */
const TRIES = 10
/** Longest that one try may take, in milliseconds: the grace, and the rounds of kills after it. */
const TIMEOUT_MS = 30_000
/** Longest that all of them may take, in milliseconds: tries that fail at once all fit in, those that hang do not. */
const ALL_TRIES_MS = 60_000

const LEADER = /^(\d{1,10}):(\d{1,20})$/

/** Resolves when no process of the session is left; fails with a `RuntimeError` when that cannot be had. */
export const hangUp = async (run: (options: RunOptions) => Promise<RunResult>, leader: string): Promise<void> => {
  const parts = LEADER.exec(leader)
  if (!parts) throw new RuntimeError('engine_error', 'not the name of a first process')
  const [, pid = '', start = ''] = parts
  let failure: unknown
  const end = performance.now() + ALL_TRIES_MS
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const timeoutMs = Math.min(TIMEOUT_MS, end - performance.now())
    if (timeoutMs <= 0) break
    // The first try has hung up already, whatever became of it.
    const grace = attempt === 0 ? HANGUP_GRACE_SECONDS : 0
    try {
      const argv = scriptArgv('hangup', pid, start, String(grace))
      const { exitCode } = await run({ argv, timeoutMs, maxOutputBytes: 1024 })
      if (exitCode === 0) return
    } catch (error) {
      // A container that is gone or stopped has no processes.
      if (error instanceof RuntimeError && (error.code === 'not_running' || error.code === 'not_found')) return
      if (error instanceof RuntimeError && error.code === 'engine_unavailable') throw error
      failure = error
    }
  }
  throw new RuntimeError('engine_error', 'processes of a terminal could not be ended', { cause: failure })
}
