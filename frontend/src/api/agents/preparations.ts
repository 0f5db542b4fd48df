import type { AgentPreparation, ConfirmPreparation, Preparation } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'

const of = (key: string): string => `${agentPath(key)}/preparation`

/** What the agent begins with, and how far that is. */
export const readPreparation = (key: string) => http.request<AgentPreparation>('GET', of(key))
export const cancelPreparation = (key: string) => http.request<Preparation>('POST', `${of(key)}/cancel`)
export const retryPreparation = (key: string) => http.request<Preparation>('POST', `${of(key)}/retry`)
/** Decides about what the repository offers. */
export const confirmPreparation = (key: string, body: ConfirmPreparation) =>
  http.request<Preparation>('POST', `${of(key)}/confirm`, body)
