/** Wires the module together. */
import { DIALOG_WAIT_SECONDS, DIALOG_WAITS_PER_USER } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import { type Clock, SECOND_MS } from '../../lib/time/clock.ts'
import { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { Sweeper } from '../../lib/time/sweeper.ts'
import { Followers } from '../access/followers.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Audit } from '../audit/audit.ts'
import { DialogRepository, type DialogRow } from './repository.ts'
import { dialogRoutes } from './routes.ts'
import { RuleRepository } from './rules/repository.ts'
import { ruleRoutes } from './rules/routes.ts'
import { RuleService } from './rules/service.ts'
import { DialogWaits } from './waits.ts'
import { DialogService } from './service.ts'

/** Time between two looks for questions whose time is over, or whose agent was deleted, in milliseconds. An answer after that time is refused at once. */
const EXPIRES_EVERY_MS = 5 * SECOND_MS

interface Deps {
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'repository' | 'agents' | 'signals'>
  readonly losses: Signal<Loss>
  readonly log: Log
  readonly audit: Audit
  readonly clock: Clock
  readonly newId: NewId
  readonly onListenerError: (error: unknown) => void
}

/** Questions of agents to people. Other modules ask them, and hear of the answers. */
export const createDialogs = ({ prisma, agents, audit, losses, clock, newId, log, onListenerError }: Deps) => {
  const repository = new DialogRepository(prisma)
  const news = new Signal<AgentNews>(onListenerError)
  const closed = new Signal<DialogRow>(onListenerError)
  const rules = new RuleService({ rules: new RuleRepository(prisma, audit), clock, newId })
  const service = new DialogService({
    ...{ repository, audit, news, closed, rules, newId, clock },
    agentRows: agents.repository,
    agents: agents.agents,
  })
  const followers = new Followers(losses, { perUser: DIALOG_WAITS_PER_USER, what: 'questions' })
  const waits = new DialogWaits({ service, closed, followers, waitMs: DIALOG_WAIT_SECONDS * SECOND_MS })
  const sweeper = new Sweeper({
    steps: [() => service.expire(), () => service.withdrawOfDeleted()],
    everyMs: EXPIRES_EVERY_MS,
    onFailure: (error) => log.warn({ err: error }, 'questions that need no answer any more could not be closed'),
  })
  agents.signals.deleted.on(() => void sweeper.sweep())
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(dialogRoutes, { service, waits })
    await api.register(ruleRoutes, { rules, agents: agents.agents })
  }
  return {
    ...{ routes, news, service, repository, closed, rules },
    callers: () => followers.callers(),
    start: (): Promise<void> => Promise.resolve(sweeper.start()),
    quiesce: () => followers.stop(),
    end: () => sweeper.stop(),
  }
}

export type Dialogs = ReturnType<typeof createDialogs>
