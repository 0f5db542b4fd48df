/** What the database says of an agent, as the rest of the module sees it. */
import type { Relation } from '@slipway/protocol'
import { relationTo } from '../access/policy.ts'
import type { Caller } from '../identity/caller.ts'

export interface AgentRow {
  readonly id: string
  readonly name: string
  readonly ownerId: string | null
  readonly ownerEmail: string | null
  readonly runtime: string
  readonly model: string | null
  readonly skipPermissions: boolean
  /** Whether its programs are given the keys that are set. */
  readonly useCredentials: boolean
  readonly useGitToken: boolean
  readonly image: string | null
  readonly cpus: number
  readonly memoryMb: number
  /** How long a terminal waits for somebody who lost it. */
  readonly keepSeconds: number
  /** Whether what its terminals print is recorded. */
  readonly record: boolean
  /** Whether what is typed into them is recorded, too. */
  readonly recordInput: boolean
  readonly isSystem: boolean
  readonly createdAt: Date
  /** The users it is shared with; in an answer to one caller, that caller alone or nobody. */
  readonly sharedWith: readonly string[]
}

export type AgentSettings = Pick<
  AgentRow,
  | 'runtime'
  | 'model'
  | 'skipPermissions'
  | 'useCredentials'
  | 'useGitToken'
  | 'image'
  | 'cpus'
  | 'memoryMb'
  | 'keepSeconds'
  | 'record'
  | 'recordInput'
>

/** What the caller is to an agent; null for a stranger, who must not learn that it exists. */
export const relationOf = (caller: Caller, row: AgentRow): Relation | null => {
  const relation = relationTo(caller, { ownerId: row.ownerId, isShared: row.sharedWith.includes(caller.userId) })
  return relation === 'none' ? null : relation
}
