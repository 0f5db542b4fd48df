/** Calls of tools that wait for the end of a task. */
import { aborted } from '../../lib/aborted.ts'
import { SECOND_MS } from '../../lib/time/clock.ts'
import { within } from '../../lib/time/within.ts'
import type { Followers } from '../access/followers.ts'
import type { Caller } from '../identity/caller.ts'
import type { LiveRun } from '../runs/conduct/follow.ts'
import type { RunRow } from '../runs/repository.ts'
import type { RunService } from '../runs/service.ts'

/** Time between two messages about the progress of a call, in milliseconds. */
const PROGRESS_EVERY_MS = 5 * SECOND_MS

/** What a call waits with. */
export interface Waiter {
  /** Aborted when the client has left. */
  readonly left: AbortSignal
  /** Tells the client that the task goes on; absent if it did not ask for that. */
  readonly tell?: ((seconds: number, events: number) => void) | undefined
}

export interface WaitDeps {
  readonly runs: Pick<RunService, 'require'>
  readonly followers: Followers
  /** Longest wait, in milliseconds. */
  readonly waitMs: number
}

export class TaskWaits {
  readonly #deps: WaitDeps

  constructor(deps: WaitDeps) {
    this.#deps = deps
  }

  /**
   * The task when it has ended, or as it is when the longest wait is over, the client has left or the server stops.
   * Throws what `RunService.require` throws, also if the right is lost meanwhile, and `TOO_MANY_REQUESTS`.
   */
  async ended(caller: Caller, id: string, { left, tell }: Waiter): Promise<RunRow> {
    const { runs, followers, waitMs } = this.#deps
    const arrival = followers.arrive()
    const { run, live, found } = await runs.require(caller, id, 'task.view')
    if (!live) return run
    const { signal, leave } = followers.enter(found ?? { caller, row: null, relation: null }, arrival)
    const stop = tell ? telling(live, tell) : () => undefined
    try {
      const over = Promise.race([live.finished, aborted(AbortSignal.any([left, signal]))])
      await within(waitMs, over, () => undefined)
    } finally {
      stop()
      leave()
    }
    return (await runs.require(caller, id, 'task.view')).run
  }
}

/** Tells at once, and then regularly, until the answer is called. */
const telling = (live: LiveRun, tell: NonNullable<Waiter['tell']>): (() => void) => {
  let seconds = 0
  tell(seconds, live.lastSeq)
  const timer = setInterval(() => {
    seconds += PROGRESS_EVERY_MS / SECOND_MS
    tell(seconds, live.lastSeq)
  }, PROGRESS_EVERY_MS)
  return () => clearInterval(timer)
}
