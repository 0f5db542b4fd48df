import type { AgentPorts, CreatedPortLink, PortLinks, PortTicket } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'

const portsOf = (key: string): string => `${agentPath(key)}/ports`

/** What listens in the agent now. */
export const listPorts = (key: string) => http.request<AgentPorts>('GET', portsOf(key))
/** An address that lets one browser in, once. */
export const portTicket = (key: string, port: number, path: string) =>
  http.request<PortTicket>('POST', `${portsOf(key)}/${port}/tickets`, { path })

const linksOf = (name: string): string => `/agents/${encodeURIComponent(name)}/port-links`

/** The links to ports of the agent that have not expired. */
export const listPortLinks = async (name: string) => (await http.request<PortLinks>('GET', linksOf(name))).items
export const createPortLink = (name: string, port: number, expiresInMinutes: number) =>
  http.request<CreatedPortLink>('POST', `/agents/${encodeURIComponent(name)}/ports/${port}/links`, { expiresInMinutes })
/** Revokes a link. Its visitors are let out. */
export const revokePortLink = (name: string, id: string) =>
  http.send('DELETE', `${linksOf(name)}/${encodeURIComponent(id)}`)
/** An address that lets this browser in, once, for a visitor with a link. */
export const openPortLink = (secret: string) => http.requestPublic<PortTicket>('POST', '/port-links/open', { secret })
