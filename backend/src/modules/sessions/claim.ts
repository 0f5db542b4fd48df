/** The user and the agent of a session: what a terminal and an exec have in common. */
import type { Relation } from '@slipway/protocol'
import type { AgentRow } from '../agents/rows.ts'
import type { Caller } from '../identity/caller.ts'

/** A caller's request for a session in an agent. */
export interface Claim {
  readonly sessionId: string
  readonly caller: Caller
  readonly row: AgentRow
  readonly relation: Relation
  readonly mode: string
  /** The task whose process it is. Absent: none. */
  readonly taskId?: string
  /** The CLI's own session that a terminal continues. Absent: none. */
  readonly cliSessionId?: string | null
  /** Which of its user's terminals in the agent it is. Absent or null: the one without a name. */
  readonly tab?: string | null
  /** Whether it is the terminal of a task. Absent: no. */
  readonly task?: boolean
  /** The caller as they asked for it, if the session does not depend on how they had authenticated. */
  readonly askedBy?: Caller
}

/** A claim that was granted. */
export interface GrantedClaim extends Claim {
  /**
   * Whether its environment holds, or may get, one of its user's own credentials. Other users must not see these, so
   * this is set before the credentials are looked up.
   */
  personal: boolean
}

/** A session whose processes are accounted for. */
export interface Attended {
  readonly sessionId: string
  /** Its first process, as the runtime names it; null if unknown. */
  readonly leader: string | null
}

/**
 * Whether the session's personal credential bars this caller. An API token must not read such a credential by any
 * route.
 */
export const isKeptFrom = (caller: Caller, { personal }: Pick<GrantedClaim, 'personal'>): boolean =>
  personal && caller.via.kind === 'api_token'

/** Whether a session may get its user's own credentials. This holds until the credentials have been looked up. */
export const mayBePersonal = ({ caller, relation }: Pick<Claim, 'caller' | 'relation'>): boolean =>
  relation === 'owner' && caller.via.kind !== 'api_token'
