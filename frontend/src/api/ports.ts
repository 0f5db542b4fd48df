import type { AgentPorts, PortTicket } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from './transport/client.ts'

const portsOf = (key: string): string => `${agentPath(key)}/ports`

/** What listens in the agent now. */
export const listPorts = (key: string) => http.request<AgentPorts>('GET', portsOf(key))
/** An address that lets one browser in, once. */
export const portTicket = (key: string, port: number, path: string) =>
  http.request<PortTicket>('POST', `${portsOf(key)}/${port}/tickets`, { path })
