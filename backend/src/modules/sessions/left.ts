/**
 * A backend that stopped, or was killed, leaves programs behind in the containers, and so does an engine that was away and left
 * its containers running. Those that a holder keeps are taken over by their kind of session; the others are ended, since no
 * backend can reach them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { RuntimeError, type RuntimeErrorCode } from '../../runtime/errors.ts'
import { type Attached, type ContainerRuntime, FROM_THE_START } from '../../runtime/port.ts'
import type { Board } from '../agents/state/board.ts'
import type { SessionEnd, SessionRecords } from './records.ts'
import { type Decide, type Gone, LOOK_EVERY_MS } from './recovery.ts'
import type { LeftSession } from './repository.ts'

/** How often an engine that answers is asked for one session, where it fails or is late: a busy one is, for a while. */
const TRIES_MAX = 3
const PASSING: readonly RuntimeErrorCode[] = ['timed_out', 'engine_error']

export interface LeftDeps {
  readonly runtime: Pick<ContainerRuntime, 'hangUp' | 'held' | 'attach'>
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'ended'>
  readonly log: Log
}

/** What a kind of session does with those that were left. */
export interface LeftKind {
  /** Takes over one that its container holds. Answers null, or why it cannot be had any more. */
  takeOver(session: LeftSession, containerId: string): Promise<'server_killed' | 'access_revoked' | null>
  /** Told of each that has ended. */
  ended(sessionId: string): void
}

interface Context {
  readonly held: HeldSessions
  readonly gone: Gone
  /** Between two tries, in milliseconds. */
  readonly retryMs: number
}

/** What containers hold, each asked once, as long as it answers. */
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

/** What a recovery does with each session of a kind; `retryMs` is the time between two tries. */
export const leftRecoverer =
  (deps: LeftDeps, kind: LeftKind, retryMs = LOOK_EVERY_MS) =>
  (): Decide => {
    const held = new HeldSessions(deps.runtime)
    return (session, gone) => recover(deps, kind, session, { held, gone, retryMs })
  }

const recover = async (deps: LeftDeps, kind: LeftKind, session: LeftSession, context: Context): Promise<boolean> => {
  const { log, records } = deps
  const end = (reason: SessionEnd['reason']): void => {
    records.ended(session.id, { reason })
    kind.ended(session.id)
  }
  for (let tries = 1; ; tries += 1)
    try {
      const reason = await decide(deps, kind, session, context)
      if (reason !== null) end(reason)
      return true
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.code === 'engine_unavailable') {
        log.warn({ sessionId: session.id, err: error }, 'a session of an earlier backend is looked at again')
        return false
      }
      if (!PASSING.includes(error.code) || tries === TRIES_MAX) {
        log.error({ sessionId: session.id, err: error }, 'processes of a session are left')
        end(context.gone)
        return true
      }
      log.warn({ sessionId: session.id, err: error, tries }, 'a session of an earlier backend is tried again')
      // A stop does not wait for it.
      await delay(context.retryMs, undefined, { ref: false })
    }
}

/** Null, or why it has ended. */
const decide = async (
  { runtime, board }: LeftDeps,
  kind: LeftKind,
  session: LeftSession,
  { held, gone }: Context,
): Promise<SessionEnd['reason'] | null> => {
  const { runningId, container } = board.get(session.agentId)
  if (runningId === null) return 'container_stopped'
  const isHeld = await held.has(runningId, session.id)
  // Only of what it does not hold: one of these clocks is the engine's and the other the database's, and either may be put back.
  const isSame = container?.startedAt && container.startedAt <= session.startedAt
  if (!isHeld && !isSame) return 'container_stopped'
  const lost = isHeld ? await kind.takeOver(session, runningId) : gone
  if (lost === null) return null
  // Without a first process it had not begun, as far as anybody knows.
  if (session.leader !== null) await runtime.hangUp(runningId, session.leader)
  return lost
}

/** Null where nobody holds it, or something else answers: what speaks there is the agent's own, and not to be believed. */
export const attachLeft = async (
  runtime: LeftDeps['runtime'],
  containerId: string,
  { id, leader }: LeftSession,
  io: 'terminal' | 'pipes',
): Promise<Attached | null> => {
  const attached = await runtime.attach(containerId, id, FROM_THE_START).catch((error: unknown) => {
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
