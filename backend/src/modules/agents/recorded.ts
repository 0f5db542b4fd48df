/** What the audit log says of an agent, whatever was done to it. */
import type { Facts, Target } from '../audit/audit.ts'
import type { AgentRow } from './rows.ts'

/** The agent, and whose it is: the one question that is asked of all of these events. */
export const agentEvent = (
  { id, name, ownerEmail }: Pick<AgentRow, 'id' | 'name' | 'ownerEmail'>,
  facts: Facts = {},
): { target: Target; detail: Facts } => ({ target: { id, name }, detail: { owner: ownerEmail, ...facts } })
