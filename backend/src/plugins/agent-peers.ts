/** Agents run untrusted code: the server drops every connection from their network before it reads a byte. */
import { BlockList, isIPv6, type Socket } from 'node:net'
import fp from 'fastify-plugin'
import { MINUTE_MS } from '../lib/time/clock.ts'

/** Shortest time between two log lines about dropped connections, in milliseconds. An agent must not fill the disk. */
const TELL_EVERY_MS = MINUTE_MS

/** Options of {@link agentPeersPlugin}. */
export interface AgentPeersOptions {
  /** The current networks of the agents, as "address/prefix". Called for every connection. */
  readonly subnets: () => readonly string[]
}

/**
 * Compares the address of the connection itself, never an address in a proxy's header: an agent could send any header.
 */
export const agentPeersPlugin = fp<AgentPeersOptions>(
  async (app, { subnets }) => {
    const isAgent = matcher(subnets)
    let dropped = 0
    let toldAt = -TELL_EVERY_MS
    // Before Node's own listener, which begins to read.
    app.server.prependListener('connection', (socket: Socket) => {
      if (!isAgent(socket.remoteAddress)) return
      socket.resetAndDestroy()
      dropped += 1
      if (performance.now() - toldAt < TELL_EVERY_MS) return
      app.log.warn({ dropped }, 'connections from the network of the agents were dropped')
      toldAt = performance.now()
      dropped = 0
    })
  },
  { name: 'agent-peers', fastify: '5.x' },
)

/** Whether an address is in one of the networks, which are parsed again when they change. */
export const matcher = (subnets: () => readonly string[]): ((address: string | undefined) => boolean) => {
  let of: readonly string[] | null = null
  let list = new BlockList()
  return (address) => {
    if (address === undefined) return false
    const now = subnets()
    if (now !== of) {
      of = now
      list = listOf(now)
    }
    // An IPv4 client of a dual-stack socket has an address like ::ffff:10.208.0.2, which the list understands.
    return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

const listOf = (subnets: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', prefix = ''] = subnet.split('/')
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}
