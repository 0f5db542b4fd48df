/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import { type Clock, SECOND_MS } from '../../lib/time/clock.ts'
import { Signal } from '../../lib/emitter.ts'
import { notFound } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { Sweeper } from '../../lib/time/sweeper.ts'
import { allows } from '../access/policy.ts'
import type { Agents } from '../agents/agents.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Audit } from '../audit/audit.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { TerminalWords, type TerminalWordsDeps } from '../runs/lease/words/words.ts'
import type { Runs } from '../runs/runs.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import type { ConversationKey } from '../sessions/conversations.ts'
import { ConversationChanges } from './change-repository.ts'
import { MessageRepository } from './message-repository.ts'
import { messageRoutes } from './message-routes.ts'
import { ConversationMessages } from './messages.ts'
import { ConversationRepository } from './repository.ts'
import type { ConversationRow } from './rows.ts'
import { ConversationMetrics } from './metrics.ts'
import { conversationRoutes } from './routes.ts'
import { ConversationService } from './service.ts'
import { SaidInTerminal } from './in-terminal/said.ts'
import { TerminalWordsRepository } from './in-terminal/repository.ts'
import { TurnRepository } from './turn-repository.ts'
import { Turns } from './turns.ts'
import { toConversation } from './view.ts'

/** Time between two looks for conversations that can be moved on, in milliseconds. */
const LOOK_EVERY_MS = 2 * SECOND_MS

/** What {@link createConversations} needs. */
export interface ConversationModuleDeps {
  readonly prisma: Database['prisma']
  readonly audit: Audit
  readonly metrics: Registry
  readonly agents: Pick<Agents, 'repository' | 'agents'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly runtime: TerminalWordsDeps['runtime']
  readonly runs: Pick<Runs, 'conversations' | 'runs' | 'repository' | 'planner' | 'mayStill' | 'news' | 'untaken'>
  /** A conversation needs its folder no more: it was archived or deleted. Returns at once. */
  readonly freed: () => void
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}

/** Chains of tasks on one session of a CLI. */
export const createConversations = (deps: ConversationModuleDeps) => {
  const { prisma, audit, clock, newId, log, onListenerError } = deps
  const { runs, repository: runRows, planner, mayStill, news: runNews } = deps.runs
  const conversations = new ConversationRepository(prisma)
  const turnRows = new TurnRepository(prisma, audit)
  const news = new Signal<AgentNews>(onListenerError)

  const tell = async (id: string, read?: ConversationRow): Promise<void> => {
    const seen = read ?? (await conversations.byId(id))
    const known = seen && (await conversations.counted(seen))
    if (!known || known.row.agentId === null) return
    const { row, figures } = known
    const eventFor = (viewerId: string | null) =>
      ({ type: 'conversation:changed', conversation: toConversation(row, figures, viewerId) }) as const
    news.emit({
      agentId: known.row.agentId,
      event: eventFor(null),
      eventFor: ({ userId }) => eventFor(userId),
      may: (caller, relation) => allows(caller, 'conversation.view', relation) && !isKeptFrom(caller, figures),
    })
  }
  const announce = async (agentId: string, runId: string): Promise<void> => {
    const run = await runRows.shown(runId)
    if (!run) throw notFound()
    runs.announce(agentId, run)
  }
  const counts = () =>
    conversations.counts().catch((error: unknown) => {
      log.warn({ err: error }, 'conversations could not be counted')
      return null
    })
  const metrics = new ConversationMetrics(deps.metrics, counts)
  const told = { conversations, announce, tell, newId }
  const terminals = new TerminalWordsRepository(prisma)
  const words = new TerminalWords({
    agentRows: deps.agents.repository,
    agents: deps.agents.agents,
    runtime: deps.runtime,
    provisioner: deps.credentials.provisioner,
  })
  const terminal = new SaidInTerminal({ conversations, terminals, words, newId, log })
  const turns = new Turns({ ...told, terminal, turns: turnRows, planner, runs, runRows, mayStill, metrics, log })
  const sweeper = new Sweeper({
    steps: [() => turns.look()],
    everyMs: LOOK_EVERY_MS,
    onFailure: (error) => log.error({ err: error }, 'the conversations could not be looked at'),
  })
  /** The state of a run may be that of a conversation. */
  const heard = async (runId: string, hasEnded: boolean): Promise<void> => {
    const row = await conversations.byRun(runId)
    if (row) await (hasEnded ? turns.moveOn(row.id) : tell(row.id, row))
  }
  runNews.on(({ event }) => {
    if (event.type === 'coding-agent:session:state') void heard(event.sessionId, false).catch(onListenerError)
    if (event.type === 'coding-agent:session:exit') void heard(event.sessionId, true).catch(onListenerError)
  })
  /** A terminal has taken a session, or has left it: its words come in, and the messages that wait go on. */
  const inTerminal = async (session: ConversationKey): Promise<void> => {
    for (const id of await terminals.conversationsWith(session)) {
      await turns.moveOn(id)
      await tell(id)
    }
  }
  deps.runs.conversations.changed.on((session) => void inTerminal(session).catch(onListenerError))
  const service = new ConversationService({
    ...{ ...told, turns: turnRows, planner, runs, clock },
    agentRows: deps.agents.repository,
    changes: new ConversationChanges(prisma, audit),
    freed: deps.freed,
    removed: ({ id, agentId }) => {
      if (agentId === null) return
      const event = { type: 'conversation:removed', conversationId: id } as const
      news.emit({ agentId, event, may: (caller, relation) => allows(caller, 'conversation.view', relation) })
    },
  })
  const rows = new MessageRepository(prisma, audit)
  const messages = new ConversationMessages({ ...told, service, messages: rows, runs, turns, clock })
  deps.runs.untaken.on((message) => void messages.notTaken(message).catch(onListenerError))
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(conversationRoutes, { service })
    await api.register(messageRoutes, { messages })
  }
  return {
    ...{ routes, news, service, messages, repository: conversations },
    start: async (): Promise<void> => sweeper.start(),
    end: () => sweeper.stop(),
  }
}

export type Conversations = ReturnType<typeof createConversations>
