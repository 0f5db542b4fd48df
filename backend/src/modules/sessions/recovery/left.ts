/**
 * A backend that stops or crashes leaves programs in the containers. So does an engine that goes away while its
 * containers run. If a holder keeps such a program, its kind of session takes it over. The recovery ends all others,
 * since no backend can reach them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../../lib/log.ts'
import { RuntimeError, type RuntimeErrorCode } from '../../../runtime/errors.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { type Attached, FROM_THE_START, type Offsets } from '../../../runtime/program.ts'
import type { Board } from '../../agents/state/board.ts'
import type { SessionEnd, SessionRecords } from '../records/records.ts'
import { type Decide, type Gone, LOOK_EVERY_MS } from './recovery.ts'
import type { LeftSession } from '../records/repository.ts'

/**
 * Most attempts for one session if the engine answers with a passing error. A busy engine fails or times out for a
 * while.
 */
const TRIES_MAX = 3
const PASSING: readonly RuntimeErrorCode[] = ['timed_out', 'engine_error']

export interface LeftDeps {
  readonly runtime: Pick<ContainerRuntime, 'hangUp' | 'held' | 'attach'>
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'ended'>
  readonly log: Log
}

/** How a kind of session treats the sessions that were left. */
export interface LeftKind {
  /** Takes over a session that its container holds. Answers null, or why the session is lost. */
  takeOver(session: LeftSession, containerId: string): Promise<'server_killed' | 'access_revoked' | null>
  /** How a session has ended whose end an earlier backend stored and did not record any more; null for all others. */
  storedEnd?(sessionId: string): Promise<SessionEnd | null>
  /** Stores what the end of a session means, for this reason, before the end is recorded. Never rejects. */
  settle?(session: LeftSession, reason: SessionEnd['reason']): Promise<void>
  /** Called for each session that has ended, with the reason. */
  ended(session: LeftSession, reason: SessionEnd['reason']): void
}

interface Context {
  readonly held: HeldSessions
  readonly gone: Gone
  /** Time between two attempts, in milliseconds. */
  readonly retryMs: number
}

/** The sessions that containers hold. Each container is asked once; after a failure it is asked again. */
class HeldSessions {
  readonly #runtime: LeftDeps['runtime']
  readonly #byContainer = new Map<string, Promise<string[]>>()

  constructor(runtime: LeftDeps['runtime']) {
    this.#runtime = runtime
  }

  async has(containerId: string, session: string): Promise<boolean> {
    const held = this.#byContainer.get(containerId) ?? this.#runtime.held(containerId)
    this.#byContainer.set(containerId, held)
    try {
      return (await held).includes(session)
    } catch (error) {
      if (this.#byContainer.get(containerId) === held) this.#byContainer.delete(containerId)
      throw error
    }
  }
}

/** How a recovery decides about each session of a kind; `retryMs` is the time between two attempts. */
export const leftRecoverer =
  (deps: LeftDeps, kind: LeftKind, retryMs = LOOK_EVERY_MS) =>
  (): Decide => {
    const held = new HeldSessions(deps.runtime)
    return (session, gone) => recover(deps, kind, session, { held, gone, retryMs })
  }

const recover = async (deps: LeftDeps, kind: LeftKind, session: LeftSession, context: Context): Promise<boolean> => {
  const { log, records } = deps
  const end = async (reason: SessionEnd['reason']): Promise<void> => {
    const stored = await kind.storedEnd?.(session.id).catch(() => null)
    await kind.settle?.(session, reason)
    records.ended(session.id, stored ?? { reason })
    kind.ended(session, reason)
  }
  for (let tries = 1; ; tries += 1)
    try {
      const reason = await decide(deps, kind, session, context)
      if (reason !== null) await end(reason)
      return true
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.code === 'engine_unavailable') {
        log.warn({ sessionId: session.id, err: error }, 'a session of an earlier backend is looked at again')
        return false
      }
      if (!PASSING.includes(error.code) || tries === TRIES_MAX) {
        log.error({ sessionId: session.id, err: error }, 'processes of a session are left')
        await end(context.gone)
        return true
      }
      log.warn({ sessionId: session.id, err: error, tries }, 'a session of an earlier backend is tried again')
      // Not referenced, so that the server can stop meanwhile.
      await delay(context.retryMs, undefined, { ref: false })
    }
}

/** Null if the session continues, or why it has ended. */
const decide = async (
  { runtime, board }: LeftDeps,
  kind: LeftKind,
  session: LeftSession,
  { held, gone }: Context,
): Promise<SessionEnd['reason'] | null> => {
  const { runningId, container } = board.get(session.agentId)
  if (runningId === null) return 'container_stopped'
  const isHeld = await held.has(runningId, session.id)
  // Compared only if the container does not hold the session. The engine and the database have different clocks, and
  // either may be set back.
  const isSame = container?.startedAt && container.startedAt <= session.startedAt
  if (!isHeld && !isSame) return 'container_stopped'
  const lost = isHeld ? await kind.takeOver(session, runningId) : gone
  if (lost === null) return null
  // A session without a known first process has nothing to hang up.
  if (session.leader !== null) await runtime.hangUp(runningId, session.leader)
  return lost
}

/**
 * Attaches to the holder of a session that was left, from these offsets on. Null if no holder answers, or if the answer is not from this
 * session's: it comes from the agent, and is not trusted.
 */
export const attachLeft = async (
  runtime: LeftDeps['runtime'],
  containerId: string,
  { id, leader }: LeftSession,
  io: 'terminal' | 'pipes',
  from: Offsets = FROM_THE_START,
): Promise<Attached | null> => {
  const attached = await runtime.attach(containerId, id, from).catch((error: unknown) => {
    const isSilent = error instanceof RuntimeError && error.code === 'start_failed'
    return isSilent ? null : Promise.reject(error)
  })
  if (!attached) return null
  const { program, size } = attached
  const isSame = leader === null || program.leader === leader
  if (isSame && (size === null) === (io === 'pipes')) return attached
  program.release()
  return null
}
