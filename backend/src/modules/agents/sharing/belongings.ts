/** Transfers or deletes the agents of a user who is being deleted. */
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Belongings } from '../../identity/users/removal.ts'
import type { BelongingsRepository } from './belongings-repository.ts'
import type { AgentRow } from '../rows.ts'
import type { AgentService } from '../service.ts'
import type { AgentSignals } from '../news/signals.ts'

/** Agents deleted at the same time; each may wait some seconds for its programs to end. */
const DELETIONS_AT_ONCE = 4
/** Far more agents than one user has. */
const DELETIONS_WAITING = 10_000

/** What {@link createBelongings} needs. */
export interface BelongingsDeps {
  readonly repository: BelongingsRepository
  readonly agents: Pick<AgentService, 'delete'>
  readonly signals: AgentSignals
  readonly log: Log
}

/** The caller's right was checked where users are deleted. */
export function createBelongings({ repository, agents, signals, log }: BelongingsDeps): Belongings {
  const deletions = new Semaphore(DELETIONS_AT_ONCE, DELETIONS_WAITING)

  async function isDeleted(row: AgentRow, caller: Caller): Promise<boolean> {
    try {
      const found = { row, relation: 'admin', caller } as const
      await deletions.run(() => agents.delete(found))
      return true
    } catch (error) {
      // Another request deleted it meanwhile.
      if (error instanceof AppError && error.code === 'NOT_FOUND') return true
      log.warn({ agentId: row.id, err: error }, 'an agent of a user who is deleted could not be deleted')
      return false
    }
  }

  return {
    async handOver(from, to, caller) {
      const handedOver = await repository.handOver(from, to, caller)
      for (const id of handedOver ?? []) signals.changed.emit(id)
      return handedOver !== null
    },
    async deleteAll(owner, caller) {
      const rows = await repository.ownedBy(owner.id)
      const deleted = await Promise.all(rows.map((row) => isDeleted(row, caller)))
      return rows.filter((_row, index) => deleted[index] === false).map(({ name }) => name)
    },
  }
}
