/** The common part of the figures of one terminal: a running agent, and a client process beside the backend. */
import type { TerminalTarget } from './client/terminal.ts'
import type { Api } from './harness/api.ts'
import type { Cleanup } from './harness/cleanup.ts'
import { Client } from './harness/client.ts'
import { World } from './harness/world.ts'

export interface Stage {
  readonly world: World
  readonly api: Api
  readonly client: Client
  readonly terminal: TerminalTarget
  readonly containerId: string
}

export const setStage = async (cleanup: Cleanup): Promise<Stage> => {
  const world = await World.make(cleanup, 't')
  const api = await world.signIn()
  await world.settled(api)
  const containerId = await world.addAgent(api, 'bench')
  const terminal = { url: api.terminalUrl('bench'), token: api.token, version: 2 } as const
  return { world, api, client: new Client(cleanup), terminal, containerId }
}
