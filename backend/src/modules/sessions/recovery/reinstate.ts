/** Decides whether the user of a session that an earlier backend left may still have it. */
import { type Action, allows } from '../../access/policy.ts'
import type { AgentRepository } from '../../agents/repository.ts'
import { relationOf } from '../../agents/rows.ts'
import type { Found } from '../../agents/service.ts'
import type { Authenticator } from '../../identity/authenticate.ts'
import type { LeftSession } from '../records/repository.ts'

interface Deps {
  readonly authenticator: Pick<Authenticator, 'again'>
  readonly repository: Pick<AgentRepository, 'byId'>
}

/** What decides about a session that goes on. */
export type Standing = Pick<LeftSession, 'userId' | 'agentId' | 'via'>

/**
 * The user with their current rights; null if these do not suffice or their proof is no longer valid. `action` is what
 * began the session; by default it is a terminal or an exec.
 */
export const reinstater =
  ({ authenticator, repository }: Deps) =>
  async ({ userId, agentId, via }: Standing, began: Action = 'terminal.open'): Promise<Found | null> => {
    const [caller, row] = await Promise.all([via && authenticator.again(userId, via), repository.byId(agentId)])
    const relation = caller && row && relationOf(caller, row)
    if (!relation) return null
    const action = row.isSystem ? 'system.terminal' : began
    return allows(caller, action, relation) ? { caller, row, relation } : null
  }
