import type { CodingAgentStatus } from '@slipway/protocol'

type Status = Pick<CodingAgentStatus, 'installed' | 'hasApiKey' | 'configured' | 'authMethod'>

/** Whether an agent has a coding CLI, and how a task would be signed in. */
export function keyWord({ installed, hasApiKey, configured, authMethod }: Status): string {
  if (!installed) return 'Not installed'
  if (authMethod === 'none') return 'Needs no key'
  if (hasApiKey) return 'Has a key'
  return configured ? 'Signed in' : 'No key, not signed in'
}
