/**
 * Programs that an earlier server left. If the request had an idempotency key, its program continues and waits for the
 * retry. All others are ended, since their requests ended with the earlier server. A program that has ended meanwhile
 * is recorded as it ended.
 */
import {
  EXEC_TIMEOUT_SECONDS_DEFAULT,
  EXEC_TIMEOUT_SECONDS_MAX,
  type ExecBody,
  type ExecResult,
} from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { Found } from '../agents/service.ts'
import { attachLeft, type LeftDeps, type LeftKind, leftRecoverer } from '../sessions/recovery/left.ts'
import { EXEC_MODE, type SessionRecords } from '../sessions/records/records.ts'
import type { Decide } from '../sessions/recovery/recovery.ts'
import type { LeftSession } from '../sessions/records/repository.ts'
import { conduct, lateAfter } from './conduct.ts'
import type { Programs } from '../sessions/programs.ts'

/** How long a program waits for the next server, and then for the retry of its request, in seconds. */
export const KEEP_SECONDS = 300
/**
 * Longest end of each output that is kept for a request with a key, in bytes. The database keeps the response for a
 * day.
 */
export const KEYED_OUTPUT_BYTES = 65_536

export interface LeftExecDeps extends LeftDeps {
  readonly records: Pick<SessionRecords, 'ended' | 'running'>
  readonly execs: Pick<Programs, 'arrive' | 'adopt' | 'release'>
  /** The agent and the user's current relation to it; null if the user may no longer run programs in it. */
  readonly reinstate: (session: LeftSession) => Promise<Found | null>
  /** Whether a request with a key and without a response started it. */
  readonly isKeyed: (session: Pick<LeftSession, 'id' | 'userId'>) => Promise<boolean>
}

/** A program that waits for the retry of its request. */
interface Waiting {
  readonly result: Promise<ExecResult>
  /** From now on only the time limit of its request applies. */
  allow(seconds: number): void
  /** Stops waiting for a retry and ends the program. */
  giveUp(): void
}

/** A program being conducted, and how to end it. */
interface Conducted {
  readonly result: Promise<ExecResult>
  /** How long it had run when it was taken over, in milliseconds. */
  readonly ranBefore: number
  readonly leaving: AbortController
  readonly late: AbortController
}

export class LeftExecs {
  readonly #deps: LeftExecDeps
  readonly #retryWithinMs: number
  /** By session. At most as many as ran when the earlier server was killed. */
  readonly #waiting = new Map<string, Waiting>()

  constructor(deps: LeftExecDeps, retryWithinMs = KEEP_SECONDS * SECOND_MS) {
    this.#deps = deps
    this.#retryWithinMs = retryWithinMs
  }

  /** Decides about each program that was left. */
  get decider(): () => Decide {
    const takeOver: LeftKind['takeOver'] = (session, containerId) => this.#takeOver(session, containerId)
    return leftRecoverer(this.#deps, { takeOver, ended: () => undefined })
  }

  /** The result of the program that this request started, once it has ended; null if no such program waits. */
  join(sessionId: string, { timeoutSeconds = EXEC_TIMEOUT_SECONDS_DEFAULT }: ExecBody): Promise<ExecResult> | null {
    const waiting = this.#waiting.get(sessionId)
    if (!waiting) return null
    waiting.allow(timeoutSeconds)
    return waiting.result
  }

  /** Gives up every program that waits for a retry. */
  stop(): void {
    for (const { giveUp } of [...this.#waiting.values()]) giveUp()
  }

  async #takeOver(left: LeftSession, containerId: string): ReturnType<LeftKind['takeOver']> {
    const { runtime, execs, records, reinstate, isKeyed, log } = this.#deps
    const arrival = execs.arrive()
    const [found, isAwaited] = await Promise.all([reinstate(left), isKeyed(left)])
    if (!found) return 'access_revoked'
    const attached = await attachLeft(runtime, containerId, left, 'pipes')
    if (!attached) return 'server_killed'
    const { program, hasEnded, takesInput, from } = attached
    // The rest of its input was lost with the earlier server.
    if (takesInput && !hasEnded) {
      program.release()
      return 'server_killed'
    }
    if (left.leader === null) records.running(left.id, program.leader)
    const run = execs.adopt({ sessionId: left.id, ...found, mode: EXEC_MODE }, arrival)
    run.personal = left.personal
    log.info({ sessionId: left.id, agentId: left.agentId, userId: left.userId }, 'exec taken over')
    // Only the wall clock is left, which may have been set back.
    const ranBefore = Math.max(0, Date.now() - left.startedAt.getTime())
    const leaving = new AbortController()
    if (!isAwaited && !hasEnded) leaving.abort()
    const late = new AbortController()
    const keptBytes = KEYED_OUTPUT_BYTES
    const terms = { left: leaving.signal, late: late.signal, ranMs: ranBefore, keptBytes, from }
    const result = conduct(this.#deps, run, program, terms)
    // Recorded already.
    result.catch(() => undefined)
    if (isAwaited) this.#await(left.id, { result, ranBefore, leaving, late })
    return null
  }

  #await(sessionId: string, { result, ranBefore, leaving, late }: Conducted): void {
    const began = performance.now()
    const ranMs = (): number => ranBefore + performance.now() - began
    let time = lateAfter(late, EXEC_TIMEOUT_SECONDS_MAX, ranBefore)
    const giveUp = (): void => {
      clearTimeout(timer)
      time.clear()
      this.#waiting.delete(sessionId)
      leaving.abort()
    }
    const timer = setTimeout(giveUp, this.#retryWithinMs)
    timer.unref()
    const allow = (seconds: number): void => {
      clearTimeout(timer)
      time.clear()
      time = lateAfter(late, seconds, ranMs())
      void result.catch(() => undefined).finally(giveUp)
    }
    this.#waiting.set(sessionId, { result, allow, giveUp })
  }
}
