/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { WebSocket } from 'ws'
import type { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { AgentNews, Correspondent, Topic } from '../agents/news/topic.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { EventFeed } from './feed.ts'
import { eventRoutes } from './routes.ts'

/** What {@link createEvents} needs. */
export interface EventDeps {
  readonly agents: Pick<Agents, 'agents' | 'repository' | 'signals' | 'board'>
  /** Events that other modules add about agents. */
  readonly topics: readonly Topic[]
  readonly news: readonly Pick<Signal<AgentNews>, 'on'>[]
  readonly correspondents: readonly Correspondent[]
  readonly authenticator: Authenticator
  readonly losses: Signal<Loss>
  readonly log: Log
  /** Detects that a page disconnected without closing its socket. */
  readonly watch: (socket: WebSocket, onRound: () => void) => void
}

/** The socket over which pages get changes. */
export const createEvents = (deps: EventDeps) => {
  const { agents: module, topics, news, correspondents, authenticator, losses, log, watch } = deps
  const { agents, repository, signals, board } = module
  const feed = new EventFeed({ repository, agents, signals, stateChanged: board.changed, topics, news, losses, log })
  const sockets: FastifyPluginAsync = async (api) => {
    await api.register(eventRoutes, { authenticator, feed, correspondents, log, watch })
  }
  return { sockets, callers: () => feed.callers(), quiesce: () => feed.close() }
}
