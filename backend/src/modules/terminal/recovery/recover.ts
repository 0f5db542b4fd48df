/**
 * A backend that stopped, or was killed, leaves programs behind in the containers, and so does an engine that was away and left
 * its containers running. Those whose terminal a holder keeps are taken over, and wait for their users; the others are
 * ended, since nobody can reach them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../../lib/log.ts'
import { RuntimeError, type RuntimeErrorCode } from '../../../runtime/errors.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { Board } from '../../agents/state/board.ts'
import type { Found } from '../../agents/service.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { SessionEnd, SessionRecords } from '../../sessions/records.ts'
import type { LeftSession } from '../../sessions/repository.ts'
import { type Decide, type Gone, LOOK_EVERY_MS } from '../../sessions/recovery.ts'
import type { TerminalRegistry } from '../registry.ts'
import type { ScreenKeeper } from '../screen/kept/keeper.ts'
import type { Begun, SessionStarter } from '../starter.ts'

/** How often an engine that answers is asked for one session, where it fails or is late: a busy one is, for a while. */
const TRIES_MAX = 3
const PASSING: readonly RuntimeErrorCode[] = ['timed_out', 'engine_error']

/** All of a terminal's output that is kept. */
const EVERYTHING = { kind: 'terminal', from: { stdout: 0, stderr: 0 } } as const

export interface RecoverDeps {
  readonly runtime: Pick<ContainerRuntime, 'hangUp' | 'held' | 'attach'>
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'ended' | 'running'>
  readonly registry: Pick<TerminalRegistry, 'arrive' | 'reserve' | 'release'>
  readonly starter: Pick<SessionStarter, 'adopt'>
  readonly recorder: Pick<Recorder, 'resume'>
  readonly screens: Pick<ScreenKeeper, 'load' | 'forget'>
  /** The agent and what its session's user is to it now; null where they may not have a terminal of it any more. */
  readonly reinstate: (session: LeftSession) => Promise<Found | null>
  readonly log: Log
}

interface Context {
  readonly held: HeldSessions
  readonly gone: Gone
  /** Between two tries, in milliseconds. */
  readonly retryMs: number
}

/** What containers hold, each asked once, as long as it answers. */
class HeldSessions {
  readonly #runtime: RecoverDeps['runtime']
  readonly #byContainer = new Map<string, Promise<string[]>>()

  constructor(runtime: RecoverDeps['runtime']) {
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

/** What a recovery does with each session that was left; `retryMs` is the time between two tries. */
export const recoverer =
  (deps: RecoverDeps, retryMs = LOOK_EVERY_MS) =>
  (): Decide => {
    const held = new HeldSessions(deps.runtime)
    return (session, gone) => recover(deps, session, { held, gone, retryMs })
  }

const recover = async (deps: RecoverDeps, session: LeftSession, context: Context): Promise<boolean> => {
  const { log } = deps
  for (let tries = 1; ; tries += 1)
    try {
      await decide(deps, session, context)
      return true
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.code === 'engine_unavailable') {
        log.warn({ sessionId: session.id, err: error }, 'a terminal of an earlier backend is looked at again')
        return false
      }
      if (!PASSING.includes(error.code) || tries === TRIES_MAX) {
        log.error({ sessionId: session.id, err: error }, 'processes of a terminal are left')
        end(deps, session, context.gone)
        return true
      }
      log.warn({ sessionId: session.id, err: error, tries }, 'a terminal of an earlier backend is tried again')
      // A stop does not wait for it.
      await delay(context.retryMs, undefined, { ref: false })
    }
}

const end = ({ records, screens }: RecoverDeps, { id }: LeftSession, reason: SessionEnd['reason']): void => {
  records.ended(id, { reason })
  screens.forget(id)
}

const decide = async (deps: RecoverDeps, session: LeftSession, { held, gone }: Context): Promise<void> => {
  const { runtime, board } = deps
  const { runningId, container } = board.get(session.agentId)
  if (runningId === null) return end(deps, session, 'container_stopped')
  const isHeld = await held.has(runningId, session.id)
  // Only of what it does not hold: one of these clocks is the engine's and the other the database's, and either may be put back.
  const isSame = container?.startedAt && container.startedAt <= session.startedAt
  if (!isHeld && !isSame) return end(deps, session, 'container_stopped')
  const lost = isHeld ? await takeOver(deps, session, runningId) : gone
  if (lost === null) return
  // Without a first process it had not begun, as far as anybody knows.
  if (session.leader !== null) await runtime.hangUp(runningId, session.leader)
  end(deps, session, lost)
}

/** Null, or why it cannot be had any more. */
const takeOver = async (
  { runtime, registry, records, starter, recorder, screens, reinstate, log }: RecoverDeps,
  left: LeftSession,
  containerId: string,
): Promise<'server_killed' | 'access_revoked' | null> => {
  const arrival = registry.arrive()
  const found = await reinstate(left)
  if (!found) return 'access_revoked'
  const slot = registry.reserve({ sessionId: left.id, ...found, mode: left.mode }, arrival)
  // Two at once with one agent cannot be; the one that is there stays.
  if (!slot) return 'server_killed'
  slot.personal = left.personal
  let isTaken = false
  try {
    const attached = slot.ended ? null : await attach(runtime, containerId, left)
    const kept = attached && (await screens.load(left.id, attached))
    const recording = attached && (await recorder.resume(slot))
    // It waits on, for the next start.
    if (slot.ended?.reason === 'server_stopping') {
      attached?.program.release()
      return null
    }
    if (!attached) return slot.ended ? 'access_revoked' : 'server_killed'
    if (left.leader === null) records.running(left.id, attached.program.leader)
    isTaken = true
    starter.adopt(slot, attached, { log, recording, kept })
    return null
  } finally {
    if (!isTaken) registry.release(slot)
  }
}

/** Null where nobody holds it, or somebody else answers: what speaks there is the agent's own, and not to be believed. */
const attach = async (
  runtime: RecoverDeps['runtime'],
  containerId: string,
  { id, leader }: LeftSession,
): Promise<Begun | null> => {
  const attached = await runtime.attach(containerId, id, EVERYTHING).catch((error: unknown) => {
    const isSilent = error instanceof RuntimeError && error.code === 'start_failed'
    return isSilent ? null : Promise.reject(error)
  })
  if (!attached) return null
  const { program, cols, rows, from, to } = attached
  if (leader === null || program.leader === leader) return { program, cols, rows, from: from.stdout, to: to.stdout }
  program.release()
  return null
}
