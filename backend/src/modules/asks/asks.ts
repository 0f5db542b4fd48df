/** Wires the module together. */
import { DIALOG_WAIT_SECONDS, type TerminalNeed } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import { type Clock, SECOND_MS } from '../../lib/time/clock.ts'
import { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Agents } from '../agents/agents.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Dialogs } from '../dialogs/dialogs.ts'
import type { Runs } from '../runs/runs.ts'
import { Askers } from './askers.ts'
import { Hooks } from './hooks/hooks.ts'
import { AskRepository } from './repository.ts'
import { innerRoutes, shownRoutes } from './routes.ts'
import { AskService } from './service.ts'
import { Telling } from './telling.ts'
import type { Visitor } from './visitor.ts'

interface Deps {
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'agents' | 'repository' | 'board' | 'signals'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly dialogs: Pick<Dialogs, 'service' | 'closed'>
  readonly runs: Pick<Runs, 'news' | 'addTo' | 'questions'>
  /** Tells a terminal that its program waits for its user, or goes on. */
  readonly needs: (visitor: Visitor, what: TerminalNeed | null) => void
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}

/** What programs in agents ask and tell people. They come over the relay, without a token. */
export const createAsks = (deps: Deps) => {
  const { prisma, agents, credentials, dialogs, runs, clock, newId, log, onListenerError } = deps
  const news = new Signal<AgentNews>(onListenerError)
  const repository = new AskRepository(prisma)
  const askers = new Askers(repository, agents.repository, credentials.provisioner)
  const common = { askers, addToRun: runs.addTo, clock, log }
  const asks = new AskService({
    ...common,
    ...dialogs,
    questions: runs.questions,
    repository,
    waitMs: DIALOG_WAIT_SECONDS * SECOND_MS,
  })
  const hooks = new Hooks({ asks, needs: deps.needs })
  const telling = new Telling({ ...common, news, newId })
  runs.news.on(({ agentId, event }) => {
    if (event.type !== 'coding-agent:session:exit') return
    telling.sessionOver(agentId, event.sessionId)
    runs.questions.over(event.sessionId)
  })
  agents.board.changed.on((agentId) => {
    if (agents.board.get(agentId).runningId === null) telling.stopped(agentId)
  })
  agents.signals.deleted.on(({ row }) => {
    telling.forget(row.id)
    asks.forget(row.id)
  })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(shownRoutes, { agents: agents.agents, telling })
  }
  /** What the inner door has of it. */
  const inner: FastifyPluginAsync = async (api) => {
    await api.register(innerRoutes, { asks, telling, hooks })
  }
  return { routes, inner, news, asks, telling, start: () => asks.start(), quiesce: () => asks.stop() }
}

export type AsksModule = ReturnType<typeof createAsks>
