/** Ends the processes of a terminal inside its container. */
import { setTimeout } from 'node:timers/promises'
import { RuntimeError } from '../../errors.ts'
import { scriptArgv } from '../scripts.ts'

/** Time from the hang-up to the kill, in seconds, for a closed terminal's programs to save their work. */
export const HANGUP_GRACE_SECONDS = 5
/** Timeout of one try, in milliseconds: twice the grace. An exec into a container that is full may hang. */
const TIMEOUT_MS = 10_000
/** Timeout of all tries, in milliseconds. */
const ALL_TRIES_MS = 120_000
/** Pause between two tries, in milliseconds. */
const PAUSE_MS = 200

const LEADER = /^(\d{1,10}):(\d{1,20})$/

/** Runs a script to its end and resolves with its exit code. Fails with a `RuntimeError`. */
export type RunScript = (options: { readonly argv: readonly string[]; readonly timeoutMs: number }) => Promise<number>

export interface HangUpWays {
  /** As an exec. Under a fork bomb the container has no room for it. */
  inside: RunScript
  /** In a container beside it, which always has room. An engine with another runtime may not be able to. */
  beside: RunScript
}

/** Resolves when no process of the session is left. Fails with a `RuntimeError` if this cannot be achieved. */
export const hangUp = async ({ inside, beside }: HangUpWays, leader: string): Promise<void> => {
  const parts = LEADER.exec(leader)
  if (!parts) throw new RuntimeError('engine_error', 'not the name of a first process')
  const [, pid = '', start = ''] = parts
  let failure: unknown
  const end = performance.now() + ALL_TRIES_MS
  for (let tries = 0; ; tries += 1) {
    const timeoutMs = Math.min(TIMEOUT_MS, end - performance.now())
    if (timeoutMs <= 0) break
    const isInside = tries % 2 === 0
    // The first try has sent the hang-up, even if it failed later.
    const grace = tries === 0 ? HANGUP_GRACE_SECONDS : 0
    try {
      const argv = scriptArgv('hangup', pid, start, String(grace))
      if ((await (isInside ? inside : beside)({ argv, timeoutMs })) === 0) return
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error
      // A container that is gone or stopped has no processes.
      if (isInside && (error.code === 'not_running' || error.code === 'not_found')) return
      if (error.code === 'engine_unavailable') throw error
      failure = error
    }
    await setTimeout(PAUSE_MS)
  }
  throw new RuntimeError('engine_error', 'processes of a terminal could not be ended', { cause: failure })
}
