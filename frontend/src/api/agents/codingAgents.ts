import type {
  Budget,
  CliProvider,
  CliProviderTest,
  CodingAgentStatus,
  CodingAgentTest,
  Connector,
  CreateCliProvider,
  SetBudget,
  SetConnector,
  UpdateCliProvider,
} from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

export const readMyBudget = () => http.request<Budget>('GET', '/users/me/budget')

/** The coding CLIs of a running agent. */
export const listStatus = (agent: string) =>
  http.request<CodingAgentStatus[]>('GET', `/coding-agents/status?${new URLSearchParams({ agent })}`)
export const testCodingAgent = (provider: string, agent: string) =>
  http.request<CodingAgentTest>('POST', '/coding-agents/test', { provider, agent }, 'harmless')

export const listCliProviders = () => http.request<CliProvider[]>('GET', '/cli-providers')
export const createCliProvider = (body: CreateCliProvider) => http.request<CliProvider>('POST', '/cli-providers', body)
export const changeCliProvider = (id: string, body: UpdateCliProvider) =>
  http.request<CliProvider>('PUT', `/cli-providers/${encodeURIComponent(id)}`, body)
export const removeCliProvider = (id: string) => http.send('DELETE', `/cli-providers/${encodeURIComponent(id)}`)
export const testCliProvider = (id: string, agent: string) =>
  http.request<CliProviderTest>('POST', `/cli-providers/${encodeURIComponent(id)}/test`, { agent }, 'harmless')

/** Paths of connectors below `/api`: the user's own, the platform's, an agent's. */
export const MY_CONNECTORS = '/users/me/connectors'
export const PLATFORM_CONNECTORS = '/platform/connectors'
export const agentConnectors = (key: string): string => `${agentPath(key)}/connectors`

const connectorPath = (path: string, name: string): string => `${path}/${encodeURIComponent(name)}`
export const listConnectors = (path: string) => listAll<Connector>(path)
export const setConnector = (path: string, name: string, body: SetConnector) =>
  http.request<Connector>('PUT', connectorPath(path, name), body)
export const switchConnector = (path: string, name: string, enabled: boolean) =>
  http.request<Connector>('PATCH', connectorPath(path, name), { enabled }, 'harmless')
export const removeConnector = (path: string, name: string) => http.send('DELETE', connectorPath(path, name))

/** The budget of all users together, for admins. */
export const readPlatformBudget = () => http.request<Budget>('GET', '/platform/budget')
export const setPlatformBudget = (body: SetBudget) => http.request<Budget>('PUT', '/platform/budget', body)
export const readBudgetOf = (userId: string) =>
  http.request<Budget>('GET', `/users/${encodeURIComponent(userId)}/budget`)
export const setBudgetOf = (userId: string, body: SetBudget) =>
  http.request<Budget>('PUT', `/users/${encodeURIComponent(userId)}/budget`, body)
