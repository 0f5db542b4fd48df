/** An agent's row, as the rest of the module sees it. */
import type { AgentSettings, Relation } from '@slipway/protocol'
import { standingOf } from '../access/policy.ts'
import type { Caller } from '../identity/caller.ts'

export interface AgentRow extends Readonly<AgentSettings> {
  readonly id: string
  readonly name: string
  readonly ownerId: string | null
  readonly ownerEmail: string | null
  readonly isSystem: boolean
  /** Null for agents of earlier versions, which share the user id 1000. */
  readonly uid: number | null
  readonly createdAt: Date
  /** The users it is shared with. In an answer to one caller, only that caller, if at all. */
  readonly sharedWith: readonly string[]
}

/** The caller's relation to an agent; null for a stranger, who must not learn that it exists. */
export const relationOf = (caller: Caller, row: AgentRow): Relation | null => {
  const standing = standingOf(caller, { ownerId: row.ownerId, isShared: row.sharedWith.includes(caller.userId) })
  return standing === 'none' ? null : standing
}
