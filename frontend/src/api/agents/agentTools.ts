import type { AgentTools } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'

const toolsOf = (key: string): string => `${agentPath(key)}/tools`

/** Whether the agent's programs may use the platform's tools, and with which API token's rights. */
export const readTools = (key: string) => http.request<AgentTools>('GET', toolsOf(key))
export const setTools = (key: string, tokenId: string) =>
  http.request<AgentTools>('PUT', toolsOf(key), { tokenId }, 'harmless')
export const removeTools = (key: string) => http.send('DELETE', toolsOf(key))
