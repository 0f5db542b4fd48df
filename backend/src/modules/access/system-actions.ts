/** Which rules the system agent has in place of those of other agents. */
import type { Action } from './policy.ts'

/** The system agent's counterpart of each agent action. It has rules of its own. */
export const SYSTEM_ACTIONS = {
  'agent.view': 'system.view',
  'agent.processes': 'system.view',
  'agent.use': 'system.manage',
  'agent.manage': 'system.manage',
  'agent.files': 'system.files',
  'agent.credentials': 'system.credentials',
  'agent.gateway': 'system.credentials',
  'agent.variables': 'system.credentials',
  'agent.tools': 'system.credentials',
  'terminal.open': 'system.terminal',
  'recordings.view': 'system.terminal',
} as const satisfies Partial<Record<Action, Action>>

/** An action on one agent, at either of its addresses. */
export type AgentAction = keyof typeof SYSTEM_ACTIONS
