/** What of a request must be clear before it is passed on: two servers that read it differently are what smuggling needs. */
import type { IncomingMessage } from 'node:http'
import type { PortHost, PortHosts } from '../host.ts'

/** What is looked at. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>

/** The target of a request with the host in it, as proxies send it (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i

/** The port that a request is for, and the path there; null where its parts contradict each other. */
export const targetOf = (
  { headers, rawHeaders, url = '/' }: RequestHead,
  hosts: PortHosts,
): { readonly at: PortHost; readonly path: string } | null => {
  const at = hosts.parse(headers.host)
  const coding = headers['transfer-encoding']
  if (!at || countOf('host', rawHeaders) !== 1 || (coding !== undefined && coding.toLowerCase() !== 'chunked'))
    return null
  if (url.startsWith('/') || url === '*') return { at, path: url }
  const [whole, authority, rest = ''] = ABSOLUTE.exec(url) ?? []
  const named = hosts.parse(authority)
  if (whole === undefined || named?.port !== at.port || named.agentName !== at.agentName) return null
  return { at, path: rest.startsWith('/') ? rest : `/${rest}` }
}

const countOf = (name: string, rawHeaders: readonly string[]): number =>
  rawHeaders.filter((header, at) => at % 2 === 0 && header.toLowerCase() === name).length

/** Whether it begins a WebSocket (RFC 6455, 4.1) and nothing else. An app would wait for the body of any other request. */
export const isWebSocket = ({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined
