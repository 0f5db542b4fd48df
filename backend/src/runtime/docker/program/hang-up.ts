/** Ends the processes of a terminal inside its container. */
import { setTimeout } from 'node:timers/promises'
import { RuntimeError } from '../../errors.ts'
import type { RunOptions, RunResult } from '../../port.ts'
import { scriptArgv } from '../scripts.ts'

/** Time from the hang-up to the kill, in seconds, for a closed terminal's programs to save their work. */
export const HANGUP_GRACE_SECONDS = 5
/**
 * Timeout of one try, in milliseconds: twice the grace. In a full container an exec may hang, and the next one gets
 * through.
 */
const TIMEOUT_MS = 10_000
/**
 * Timeout of all tries, in milliseconds. Under a fork bomb the container has no room for the killer itself, until bash
 * has given up a fork, which takes it 31 seconds.
 */
const ALL_TRIES_MS = 120_000
/** Pause between two tries, in milliseconds. */
const PAUSE_MS = 200

const LEADER = /^(\d{1,10}):(\d{1,20})$/

/** Resolves when no process of the session is left. Fails with a `RuntimeError` if this cannot be achieved. */
export const hangUp = async (run: (options: RunOptions) => Promise<RunResult>, leader: string): Promise<void> => {
  const parts = LEADER.exec(leader)
  if (!parts) throw new RuntimeError('engine_error', 'not the name of a first process')
  const [, pid = '', start = ''] = parts
  let failure: unknown
  // The first try has sent the hang-up, even if it failed later.
  let grace = HANGUP_GRACE_SECONDS
  const end = performance.now() + ALL_TRIES_MS
  for (;;) {
    const timeoutMs = Math.min(TIMEOUT_MS, end - performance.now())
    if (timeoutMs <= 0) break
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
    grace = 0
    await setTimeout(PAUSE_MS)
  }
  throw new RuntimeError('engine_error', 'processes of a terminal could not be ended', { cause: failure })
}
