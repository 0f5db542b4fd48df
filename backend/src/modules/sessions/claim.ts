/** Whose session it is, and what it belongs to: what a terminal and an exec have in common. */
import type { Relation } from '@slipway/protocol'
import type { AgentRow } from '../agents/rows.ts'
import type { Caller } from '../identity/caller.ts'

/** A session that a caller wants to have in an agent. */
export interface Claim {
  readonly sessionId: string
  readonly caller: Caller
  readonly row: AgentRow
  readonly relation: Relation
  readonly mode: string
}

/** A claim that was granted. */
export interface GrantedClaim extends Claim {
  /**
   * Whether its environment holds, or may come to hold, a credential of its user's own. It is set before the credentials
   * are looked up, since nobody else may come to see them.
   */
  personal: boolean
}

/** A session whose processes are accounted for. */
export interface Attended {
  readonly sessionId: string
  /** Its first process, as the runtime names it; null where that is not known. */
  readonly leader: string | null
}

/** Whether a session's personal credential keeps this caller out: an API token must not read it, from whichever side it comes. */
export const isKeptFrom = (caller: Caller, { personal }: Pick<GrantedClaim, 'personal'>): boolean =>
  personal && caller.via.kind !== 'sign_in'

/** Whether a session may come to hold its user's own credentials, as long as it is not known better. */
export const mayBePersonal = ({ caller, relation }: Pick<Claim, 'caller' | 'relation'>): boolean =>
  relation === 'owner' && caller.via.kind === 'sign_in'
