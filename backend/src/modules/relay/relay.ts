/** Wires the module together. */
import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Agents } from '../agents/agents.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type Door, openDoor } from './door.ts'
import { Relays } from './relays.ts'

/** What {@link createRelay} needs. */
export interface RelayModuleDeps {
  readonly runtime: ContainerRuntime
  readonly agents: Pick<Agents, 'board' | 'signals'>
  readonly credentials: Pick<Credentials, 'agentTools'>
  readonly sessions: Pick<Sessions, 'attendance'>
  /** What programs in agents may reach. */
  readonly inner: readonly FastifyPluginAsync[]
  readonly log: FastifyBaseLogger
}

/** Carries connections of programs in agents to this server. Each agent that runs has a relay. */
export const createRelay = ({ runtime, agents, credentials, sessions, inner, log }: RelayModuleDeps) => {
  const { board, signals } = agents
  const { callerIn } = credentials.agentTools
  let door: Door | null = null
  const relays = new Relays({
    runtime,
    log,
    board,
    connected: (agentId, stream) => (door ? door.connected(agentId, stream) : stream.destroy()),
  })
  sessions.attendance.add((agentId) => relays.attended(agentId))
  const routes: FastifyPluginAsync = async (api) => {
    for (const plugin of inner) await api.register(plugin)
  }
  return {
    start: async (): Promise<void> => {
      door = await openDoor({ routes, callerIn, log })
      board.changed.on((agentId) => relays.look(agentId))
      signals.deleted.on(({ row }) => relays.look(row.id))
      for (const { agentId } of board.running()) relays.look(agentId)
    },
    end: async (): Promise<void> => {
      await relays.stop()
      await door?.close()
    },
  }
}
