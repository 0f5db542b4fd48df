/** Wires the module together. */
import { TOOL_WAIT_SECONDS, TOOL_WAITS_PER_USER } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { RequireOwnOrigin } from '../../plugins/origin.ts'
import { Followers } from '../access/followers.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { AsksModule } from '../asks/asks.ts'
import type { Runs } from '../runs/runs.ts'
import { mcpRoutes } from './routes.ts'
import { TaskTools } from './tools.ts'
import { TaskWaits } from './waits.ts'

/** What {@link createMcp} needs. */
export interface McpDeps {
  readonly agents: Pick<Agents, 'agents'>
  readonly asks: Pick<AsksModule, 'asks' | 'telling'>
  readonly runs: Pick<Runs, 'runs' | 'status'>
  readonly losses: Signal<Loss>
  readonly requireOwnOrigin: RequireOwnOrigin
  /** The product's version. */
  readonly version: string
  readonly log: Log
}

/** Tools for other AIs. */
export const createMcp = (deps: McpDeps) => {
  const { agents, asks, losses, requireOwnOrigin, version, log } = deps
  const { runs, status } = deps.runs
  const followers = new Followers(losses, { perUser: TOOL_WAITS_PER_USER, what: 'tasks' })
  const waits = new TaskWaits({ runs, followers, waitMs: TOOL_WAIT_SECONDS * SECOND_MS })
  const tools = new TaskTools({ runs, agents: agents.agents, status, waits })
  const plugin =
    (visitors: boolean): FastifyPluginAsync =>
    async (api) => {
      await api.register(mcpRoutes, { tools, people: asks, version, log, requireOwnOrigin, visitors })
    }
  return {
    routes: plugin(false),
    inner: plugin(true),
    callers: () => followers.callers(),
    end: async () => followers.stop(),
  }
}
