import type { AgentTemplate, SetAgentTemplate } from '@slipway/protocol'
import { http } from '../transport/client.ts'

const pathOf = (name: string): string => `/platform/agent-templates/${encodeURIComponent(name)}`

/** By name. */
export const listAgentTemplates = () => http.request<AgentTemplate[]>('GET', '/agent-templates')
/** Makes or replaces it. Only for admins, like the next. */
export const setAgentTemplate = (name: string, body: SetAgentTemplate) =>
  http.request<AgentTemplate>('PUT', pathOf(name), body, 'harmless')
export const removeAgentTemplate = (name: string) => http.send('DELETE', pathOf(name))
