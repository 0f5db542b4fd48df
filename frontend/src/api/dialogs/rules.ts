import type { ApprovalRule, CreateApprovalRule, RuleOwner } from '@slipway/protocol'
import { agentPath } from '../agents/agents.ts'
import { http } from '../transport/client.ts'

const BASE = '/approval-rules'

/** Where the rules of this owner are made and deleted. `agent` is the name of the agent for its rules. */
const pathOf = (of: RuleOwner, agent: string): string => {
  if (of === 'agent') return `${agentPath(agent)}${BASE}`
  return of === 'platform' ? `/platform${BASE}` : BASE
}

/** The user's own and those of the platform, oldest first. */
export const listRules = () => http.request<ApprovalRule[]>('GET', BASE)
export const listRulesOf = (agent: string) => http.request<ApprovalRule[]>('GET', pathOf('agent', agent))
export const createRule = (of: RuleOwner, agent: string, body: CreateApprovalRule) =>
  http.request<ApprovalRule>('POST', pathOf(of, agent), body)
export const deleteRule = ({ of, id }: ApprovalRule, agent: string) =>
  http.send('DELETE', `${pathOf(of, agent)}/${encodeURIComponent(id)}`)
