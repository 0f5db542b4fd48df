/** What of a user's tasks others need after the user is deleted. The rows are deleted with the user. */
import type { Prisma } from '../../../database/generated/client.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Actor } from '../../audit/actor.ts'
import type { AuditEntry } from '../../audit/audit.ts'
import { keepTotalsOf } from '../ledger/totals-repository.ts'

/**
 * Ends what waits, in the transaction that deletes the user, and answers its entries for the audit log. So each end is
 * recorded once, also if the line ends or starts a task at the same time. The totals of sessions that others continue stay.
 */
export const endWaitingOf = async (
  tx: Prisma.TransactionClient,
  userId: string,
  actor: Actor,
): Promise<AuditEntry[]> => {
  const runs = await tx.codingRun.updateManyAndReturn({
    where: { userId, state: { in: ['queued', 'waiting'] } },
    data: { state: 'terminated', reason: 'access_revoked', endedAt: new Date(), continuesAt: null },
    select: { id: true, agentId: true, agentName: true },
  })
  await keepTotalsOf(tx, userId)
  const ids = runs.flatMap(({ agentId }) => agentId ?? [])
  const agents = await tx.agent.findMany({
    where: { id: { in: ids } },
    select: { id: true, owner: { select: { email: true } } },
  })
  const ownerOf = new Map(agents.map(({ id, owner }) => [id, owner?.email ?? null]))
  return runs.map(({ id, agentId, agentName }) => {
    const agent = { id: agentId ?? '', name: agentName, ownerEmail: ownerOf.get(agentId ?? '') ?? null }
    const facts = { sessionId: id, taskId: id, reason: 'access_revoked', exitCode: null, seconds: 0 }
    return { actor, action: 'task.ended', ...agentEvent(agent, facts) }
  })
}
