/**
 * A backend that stopped, or was killed, leaves programs behind in the containers, and so does an engine that was away and left
 * its containers running. Those whose terminal a holder keeps are taken over, and wait for their users; the others are
 * ended, since nobody can reach them.
 */
import type { Log } from '../../lib/log.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Board } from '../agents/board.ts'
import type { Found } from '../agents/service.ts'
import type { Recorder } from './recording/recorder.ts'
import type { LeftSession, SessionEnd, SessionRecords } from './records.ts'
import type { TerminalRegistry } from './registry.ts'
import type { ScreenKeeper } from './screens/keeper.ts'
import type { SessionStarter } from './starter.ts'

/** Between two looks at whether an engine or a database that was away at the start is back, in milliseconds. */
const LOOK_EVERY_MS = 2000

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'hangUp' | 'heldPtys' | 'attachPty'>
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'leftOpen' | 'ended' | 'settled' | 'onLeft'>
  readonly registry: Pick<TerminalRegistry, 'arrive' | 'leave' | 'reserve' | 'release'>
  readonly starter: Pick<SessionStarter, 'adopt'>
  readonly recorder: Pick<Recorder, 'resume'>
  readonly screens: Pick<ScreenKeeper, 'load' | 'forget'>
  /** The agent and what its session's user is to it now; null where they may not have a terminal of it any more. */
  readonly reinstate: (session: LeftSession) => Promise<Found | null>
  readonly log: Log
  readonly lookEveryMs?: number
}

/**
 * Side by side; a container that was restarted since has none of them any more. What cannot be decided because the engine
 * or the database does not answer waits until it does, in the background. The answer ends that.
 */
export const recoverSessions = async (parts: Parts): Promise<() => void> => {
  const { board, records, log, lookEveryMs = LOOK_EVERY_MS } = parts
  const isKnown = ({ agentId }: LeftSession): boolean => board.get(agentId).reason?.code !== 'engine_unavailable'
  let isListed = false
  let waiting: LeftSession[] = []
  /** Why one that is not there any more has ended. */
  let gone: Gone = 'server_killed'

  const look = async (): Promise<void> => {
    if (!isListed) {
      // Of this backend's own there are none among them, however late it is.
      isListed = true
      const left = await records.leftOpen().catch((error: unknown) => {
        isListed = false
        throw error
      })
      waiting.push(...left)
      if (left.length > 0) log.warn({ sessions: left.length }, 'looking for terminals that were left')
    }
    const known = waiting.filter(isKnown)
    waiting = waiting.filter((session) => !isKnown(session))
    const held = new HeldSessions(parts.runtime)
    const isDone = await Promise.all(known.map((session) => recover(parts, session, { held, gone })))
    waiting.push(...known.filter((_, index) => !isDone[index]))
    await records.settled()
  }
  const tryToLook = (): Promise<void> =>
    look().catch((error: unknown) =>
      log.error({ err: error }, 'terminals of an earlier backend could not be looked for'),
    )

  await tryToLook()
  let looking: Promise<void> | null = null
  const timer = setInterval(() => {
    if (isListed && waiting.length === 0) return
    looking ??= tryToLook().finally(() => (looking = null))
  }, lookEveryMs)
  timer.unref()
  // An engine that went away may come back with its containers running.
  records.onLeft(() => {
    gone = 'container_stopped'
    isListed = false
  })
  return () => clearInterval(timer)
}

type Gone = 'server_killed' | 'container_stopped'

/** What containers hold, each asked once. */
class HeldSessions {
  readonly #runtime: Parts['runtime']
  readonly #byContainer = new Map<string, Promise<string[]>>()

  constructor(runtime: Parts['runtime']) {
    this.#runtime = runtime
  }

  async has(containerId: string, session: string): Promise<boolean> {
    const held = this.#byContainer.get(containerId) ?? this.#runtime.heldPtys(containerId)
    this.#byContainer.set(containerId, held)
    return (await held).includes(session)
  }
}

/** Whether it is decided; not where what has to be asked does not answer. */
const recover = async (
  parts: Parts,
  session: LeftSession,
  { held, gone }: { held: HeldSessions; gone: Gone },
): Promise<boolean> => {
  const { runtime, board, records, screens, log } = parts
  const { runningId, container } = board.get(session.agentId)
  const end = (reason: SessionEnd['reason']): void => {
    records.ended(session.id, { reason })
    screens.forget(session.id)
  }
  const sameContainer = container?.startedAt && container.startedAt <= session.startedAt
  try {
    if (runningId === null || session.leader === null || !sameContainer) {
      end(gone)
      return true
    }
    const lost = (await held.has(runningId, session.id)) ? await takeOver(parts, session, runningId) : gone
    if (lost === null) return true
    await runtime.hangUp(runningId, session.leader)
    end(lost)
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code === 'engine_unavailable') {
      log.warn({ sessionId: session.id, err: error }, 'a terminal of an earlier backend is looked at again')
      return false
    }
    log.error({ sessionId: session.id, err: error }, 'processes of a terminal are left')
  }
  return true
}

/** Null, or why it cannot be had any more. */
const takeOver = async (
  { runtime, registry, starter, recorder, screens, reinstate, log }: Parts,
  left: LeftSession,
  containerId: string,
): Promise<'server_killed' | 'access_revoked' | null> => {
  const arrival = registry.arrive()
  try {
    const found = await reinstate(left)
    if (!found) return 'access_revoked'
    const slot = registry.reserve({ sessionId: left.id, ...found, mode: left.mode }, arrival)
    // Two at once with one agent cannot be; the one that is there stays.
    if (!slot) return 'server_killed'
    slot.personal = left.personal
    const recording = await recorder.resume(slot)
    const attached = slot.ended ? null : await runtime.attachPty(containerId, left.id).catch(() => null)
    const kept = attached && (await screens.load(left.id, attached))
    // It waits on, for the next start.
    if (slot.ended?.reason === 'server_stopping') {
      attached?.pty.release()
      registry.release(slot)
      return null
    }
    if (!attached) {
      registry.release(slot)
      return slot.ended ? 'access_revoked' : 'server_killed'
    }
    starter.adopt(slot, attached, { log, recording, kept })
    return null
  } finally {
    registry.leave(arrival)
  }
}
