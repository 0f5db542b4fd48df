import type { AgentPort } from '@slipway/protocol'

const ALL = new Set(['0.0.0.0', '::'])
const PORT_MAX = 65_535

/** Whether it listens on every address of the container. */
export const isForAll = ({ addresses }: AgentPort): boolean => addresses.some((address) => ALL.has(address))

/** A port with a path, as an address names it. */
export interface WantedPort {
  readonly port: number
  readonly path: string
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= PORT_MAX

/** The port that the query of a page names; null: none. */
export function wantedPort({ open, path }: Readonly<Record<string, unknown>>): WantedPort | null {
  const port = typeof open === 'string' && /^\d{1,5}$/.test(open) ? Number(open) : 0
  if (!isPort(port)) return null
  return { port, path: typeof path === 'string' && path.startsWith('/') ? path : '/' }
}

/** The port of an address on the agent's own machine, such as `http://localhost:5173/x`. Null for https, which no port has. */
export function portOf(address: string): WantedPort | null {
  const url = URL.parse(address)
  if (url?.protocol !== 'http:') return null
  return { port: url.port === '' ? 80 : Number(url.port), path: url.pathname + url.search + url.hash }
}
