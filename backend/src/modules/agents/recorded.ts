/** The agent in its audit events. */
import type { Facts, Target } from '../audit/audit.ts'
import type { AgentRow } from './rows.ts'

/** The target and the owner of an agent's event. Every reader of such an event asks for its owner. */
export const agentEvent = (
  { id, name, ownerEmail }: Pick<AgentRow, 'id' | 'name' | 'ownerEmail'>,
  facts: Facts = {},
): { target: Target; detail: Facts } => ({ target: { id, name }, detail: { owner: ownerEmail, ...facts } })
