import type { Budget, CodingAgentStatus, CodingAgentTest, CodingSession, CreateCodingSession } from '@slipway/protocol'
import { http } from './transport/client.ts'

const SESSIONS = '/coding-agents/sessions'

/** Starts a task. A retry with the same key starts no second one. */
export const startTask = (body: CreateCodingSession, key: string) =>
  http.request<CodingSession>('POST', SESSIONS, body, { key })
/** The user's active tasks, and those that ended a moment ago. */
export const listActiveTasks = () => http.request<CodingSession[]>('GET', SESSIONS)
export const readMyBudget = () => http.request<Budget>('GET', '/users/me/budget')

/** The coding CLIs of a running agent. */
export const listStatus = (agent: string) =>
  http.request<CodingAgentStatus[]>('GET', `/coding-agents/status?${new URLSearchParams({ agent })}`)
export const testCodingAgent = (provider: string, agent: string) =>
  http.request<CodingAgentTest>('POST', '/coding-agents/test', { provider, agent }, 'harmless')
