import type {
  Agent,
  AgentOptions,
  AgentProcess,
  AgentStats,
  AgentStatsHistory,
  CreateAgent,
  Share,
  StatsSpan,
  SystemWarning,
  UpdateAgent,
} from '@slipway/protocol'
import { http } from '../transport/client.ts'
import { listAll, type ListPage } from '../transport/pages.ts'

/** Stands for the system agent in place of an agent's name. No agent can have this name. */
export const SYSTEM_KEY = '@system'

/** Path of an agent's resources below `/api`. */
export function agentPath(key: string): string {
  return key === SYSTEM_KEY ? '/system-agent' : `/agents/${encodeURIComponent(key)}`
}

export type AgentAction = 'start' | 'stop' | 'restart' | 'recreate'

export const listAgents = () => listAll<Agent>('/agents')
export const readAgent = (key: string) => http.request<Agent>('GET', agentPath(key))
export const readAgentOptions = () => http.request<AgentOptions>('GET', '/agents/options')
/** A retry with the same key makes no second one. */
export const createAgent = (body: CreateAgent, key: string) => http.request<Agent>('POST', '/agents', body, { key })
export const updateAgent = (key: string, body: UpdateAgent) =>
  http.request<Agent>('PATCH', agentPath(key), body, 'harmless')
export const deleteAgent = (key: string) => http.send('DELETE', agentPath(key))
/** Returns at once, with the agent in its passing state. An event reports the end of the action. */
export const actOnAgent = (key: string, action: AgentAction) =>
  http.request<Agent>('POST', `${agentPath(key)}/${action}`, undefined, 'named')

/** Warnings about the engine and the network, for admins. */
export async function readSystemWarnings(): Promise<SystemWarning[]> {
  return (await http.request<{ items: SystemWarning[] }>('GET', `${agentPath(SYSTEM_KEY)}/warnings`)).items
}

export const listShares = (key: string) => listAll<Share>(`${agentPath(key)}/shares`)
export const addShare = (key: string, email: string) =>
  http.request<Share>('POST', `${agentPath(key)}/shares`, { email }, 'named')
export const removeShare = (key: string, userId: string) =>
  http.send('DELETE', `${agentPath(key)}/shares/${encodeURIComponent(userId)}`)

/** Lets the owner use their own credentials again in an agent that other users had access to. */
export const trustAgent = (key: string) => http.send('POST', `${agentPath(key)}/trust`)

/** Processes that run outside any open terminal. */
export async function listProcesses(key: string): Promise<AgentProcess[]> {
  return (await http.request<ListPage<AgentProcess>>('GET', `${agentPath(key)}/processes`)).items
}
export const endProcess = (key: string, pid: number) => http.send('DELETE', `${agentPath(key)}/processes/${pid}`)

export const readStats = (key: string) => http.request<AgentStats>('GET', `${agentPath(key)}/stats`)
export const readStatsHistory = (key: string, minutes: StatsSpan) =>
  http.request<AgentStatsHistory>('GET', `${agentPath(key)}/stats/history?minutes=${minutes}`)
