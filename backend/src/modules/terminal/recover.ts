/** A backend that was killed leaves programs behind whose terminals nobody can reach: they are ended at the next start. */
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Board } from '../agents/board.ts'
import type { SessionRecords } from './records.ts'

/** Between two looks at whether an engine that was away at the start is back, in milliseconds. */
const LOOK_EVERY_MS = 2000

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'hangUp'>
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'leftOpen' | 'ended' | 'settled'>
  readonly log: Log
  readonly lookEveryMs?: number
}

type Left = Awaited<ReturnType<SessionRecords['leftOpen']>>[number]

/**
 * Ends them side by side; a container that was restarted since has none of them any more. What is in containers of an
 * engine that does not answer waits until it does, in the background. The answer ends that.
 */
export const endLeftSessions = async ({
  runtime,
  board,
  records,
  log,
  lookEveryMs = LOOK_EVERY_MS,
}: Parts): Promise<() => void> => {
  const isKnown = ({ agentId }: Left): boolean => board.get(agentId).reason?.code !== 'engine_unavailable'

  const end = async ({ id, agentId, leader, startedAt }: Left): Promise<void> => {
    const { runningId, container } = board.get(agentId)
    const sameContainer = container?.startedAt && container.startedAt <= startedAt
    try {
      if (runningId !== null && leader !== null && sameContainer) await runtime.hangUp(runningId, leader)
      records.ended(id, { reason: 'server_killed' })
    } catch (error) {
      log.error({ sessionId: id, err: error }, 'processes of a terminal are left')
    }
  }

  /** Answers what could not be decided yet. */
  const endKnown = async (left: readonly Left[]): Promise<Left[]> => {
    await Promise.all(left.filter(isKnown).map(end))
    await records.settled()
    return left.filter((session) => !isKnown(session))
  }

  // Only those of now: what is opened from here on is this backend's own.
  const left = await records.leftOpen()
  if (left.length > 0) log.warn({ sessions: left.length }, 'ending terminals that an earlier backend left')
  let waiting = await endKnown(left)
  const timer = setInterval(() => {
    if (waiting.length === 0) return clearInterval(timer)
    const known = waiting.filter(isKnown)
    waiting = waiting.filter((session) => !isKnown(session))
    void endKnown(known).then((again) => waiting.push(...again))
  }, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
