import type { AgentPreparation, Preparation } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from './transport/client.ts'

const of = (key: string): string => `${agentPath(key)}/preparation`

/** What the agent begins with, and how far that is. */
export const readPreparation = (key: string) => http.request<AgentPreparation>('GET', of(key))
export const cancelPreparation = (key: string) =>
  http.request<Preparation>('POST', `${of(key)}/cancel`, undefined, 'named')
export const retryPreparation = (key: string) =>
  http.request<Preparation>('POST', `${of(key)}/retry`, undefined, 'named')
