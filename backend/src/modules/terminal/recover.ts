/** A backend that was killed leaves programs behind whose terminals nobody can reach: they are ended at the next start. */
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Board } from '../agents/board.ts'
import { connectionLost } from './ending.ts'
import type { SessionRecords } from './records.ts'

interface Parts {
  readonly runtime: ContainerRuntime
  readonly board: Board
  readonly records: SessionRecords
  readonly log: Log
}

/** Ends them side by side; a container that was restarted since has none of them any more. */
export const endLeftSessions = async ({ runtime, board, records, log }: Parts): Promise<void> => {
  const left = await records.leftOpen()
  if (left.length === 0) return
  log.warn({ sessions: left.length }, 'ending terminals that an earlier backend left')
  await Promise.all(
    left.map(async ({ id, agentId, leader, startedAt }) => {
      const { runningId, container } = board.get(agentId)
      const sameContainer = container?.startedAt && container.startedAt <= startedAt
      try {
        if (runningId !== null && leader !== null && sameContainer) await runtime.hangUp(runningId, leader)
        records.ended(id, connectionLost)
      } catch (error) {
        log.error({ sessionId: id, err: error }, 'processes of a terminal are left')
      }
    }),
  )
  await records.settled()
}
