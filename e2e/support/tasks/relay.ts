/** The tools of programs in agents. */
import type { AgentTools, Scope } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { type Client } from '../api.ts'
import { sh } from './model.ts'

/** Where programs in an agent find the relay. */
export const RELAY_SOCKET = '/tmp/.slipway/relay.sock'

/** A script that prints how many relays an agent has. */
export const RELAYS = 'pgrep -cxf "/usr/local/lib/slipway/relay .*" || true'

/** Lets the programs of an agent use the tools with a new token of the client's. Answers the token's id. */
export const giveTools = async (
  client: Client,
  address: string,
  scopes: readonly Scope[] = ['tasks:read', 'tasks:write'],
): Promise<string> => {
  const { id: tokenId } = await client.apiToken(...scopes)
  const tools = await client.ok<AgentTools>('PUT', `${address}/tools`, { tokenId })
  if (!tools.inForce) throw new Error(`the tools are not in force: ${JSON.stringify(tools)}`)
  return tokenId
}

/** Waits until an agent's relay answers. */
export const relayAnswers = (client: Client, agent: string): Promise<unknown> =>
  until('the relay', async () => (await askRelay(client, agent)).includes('jsonrpc'))

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** What the relay of an agent answers to curl: the body, and the status in a line of its own. `args` is a piece of a shell's line. */
export const askRelay = (
  client: Client,
  agent: string,
  args = `-d '${PING}' http://slipway/api/mcp`,
): Promise<string> =>
  sh(
    client,
    agent,
    `curl -sS -m 30 --unix-socket ${RELAY_SOCKET} -H 'content-type: application/json' -w '\\n%{http_code}\\n' ${args} 2>&1 || true`,
  )
