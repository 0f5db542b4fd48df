/**
 * A backend that stopped, or was killed, leaves programs behind in the containers. At the next start those whose terminal a
 * holder keeps are taken over, and wait for their users; the others are ended, since nobody can reach them.
 */
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Board } from '../agents/board.ts'
import type { Found } from '../agents/service.ts'
import type { Recorder } from './recording/recorder.ts'
import type { LeftSession, SessionRecords } from './records.ts'
import type { TerminalRegistry } from './registry.ts'
import type { SessionStarter } from './starter.ts'

/** Between two looks at whether an engine that was away at the start is back, in milliseconds. */
const LOOK_EVERY_MS = 2000

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'hangUp' | 'heldPtys' | 'attachPty'>
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'leftOpen' | 'ended' | 'settled'>
  readonly registry: Pick<TerminalRegistry, 'arrive' | 'leave' | 'reserve' | 'release'>
  readonly starter: Pick<SessionStarter, 'adopt'>
  readonly recorder: Pick<Recorder, 'resume'>
  /** The agent and what its session's user is to it now; null where they may not have a terminal of it any more. */
  readonly reinstate: (session: LeftSession) => Promise<Found | null>
  readonly log: Log
  readonly lookEveryMs?: number
}

/**
 * Side by side; a container that was restarted since has none of them any more. What is in containers of an engine that
 * does not answer waits until it does, in the background. The answer ends that.
 */
export const recoverSessions = async (parts: Parts): Promise<() => void> => {
  const { board, records, log, lookEveryMs = LOOK_EVERY_MS } = parts
  const isKnown = ({ agentId }: LeftSession): boolean => board.get(agentId).reason?.code !== 'engine_unavailable'

  /** Answers what could not be decided yet. */
  const recoverKnown = async (left: readonly LeftSession[]): Promise<LeftSession[]> => {
    const held = new HeldSessions(parts.runtime)
    await Promise.all(left.filter(isKnown).map((session) => recover(parts, session, held)))
    await records.settled()
    return left.filter((session) => !isKnown(session))
  }

  // Only those of now: what is opened from here on is this backend's own.
  const left = await records.leftOpen()
  if (left.length > 0) log.warn({ sessions: left.length }, 'looking for terminals that an earlier backend left')
  let waiting = await recoverKnown(left)
  const timer = setInterval(() => {
    if (waiting.length === 0) return clearInterval(timer)
    const known = waiting.filter(isKnown)
    waiting = waiting.filter((session) => !isKnown(session))
    void recoverKnown(known).then((again) => waiting.push(...again))
  }, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

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

const recover = async (parts: Parts, session: LeftSession, held: HeldSessions): Promise<void> => {
  const { runtime, board, records, log } = parts
  const { runningId, container } = board.get(session.agentId)
  const sameContainer = container?.startedAt && container.startedAt <= session.startedAt
  try {
    if (runningId === null || session.leader === null || !sameContainer)
      return records.ended(session.id, { reason: 'server_killed' })
    const lost = (await held.has(runningId, session.id)) ? await takeOver(parts, session, runningId) : 'server_killed'
    if (lost === null) return
    await runtime.hangUp(runningId, session.leader)
    records.ended(session.id, { reason: lost })
  } catch (error) {
    log.error({ sessionId: session.id, err: error }, 'processes of a terminal are left')
  }
}

/** Null, or why it cannot be had any more. */
const takeOver = async (
  { runtime, registry, starter, recorder, reinstate, log }: Parts,
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
    starter.adopt(slot, attached, { log, recording })
    return null
  } finally {
    registry.leave(arrival)
  }
}
