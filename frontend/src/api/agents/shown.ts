import type { AgentShown } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'

/** What the programs of an agent show, and their last notices. */
export const readShown = (key: string) => http.request<AgentShown>('GET', `${agentPath(key)}/shown`)
