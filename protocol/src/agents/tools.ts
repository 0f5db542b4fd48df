/** Whether the programs in an agent may use the platform's tools, and with whose rights. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { Scope } from '../identity/users.ts'

/** An API token of the caller, with the scope `tasks:read`. */
export const SetAgentTools = Type.Object({ tokenId: Type.String({ format: 'uuid' }) }, { additionalProperties: false })
export type SetAgentTools = Static<typeof SetAgentTools>

export const AgentTools = Type.Object({
  /** The API token whose rights they have; null: they may not use the tools. */
  token: Nullable(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      /** The e-mail address of its user. */
      of: Type.String(),
      scopes: Type.Array(Scope),
      expiresAt: Nullable(Timestamp),
    }),
  ),
  /** Whether the tools work now. They do not if the token has expired, its user lost a right, or others use the agent. */
  inForce: Type.Boolean(),
  setAt: Nullable(Timestamp),
})
export type AgentTools = Static<typeof AgentTools>
