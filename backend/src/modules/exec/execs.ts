/** The module, put together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { Provisioner } from '../credentials/provision.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { serverStopping } from '../sessions/ending.ts'
import { EXEC_MODE } from '../sessions/records.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { execRecoverer } from './recover.ts'
import { ExecRegistry } from './registry.ts'
import { execRoutes } from './routes.ts'
import { ExecService } from './service.ts'

/** What {@link createExecs} needs. */
export interface ExecModuleDeps {
  readonly runtime: ContainerRuntime
  readonly agents: Pick<Agents, 'agents' | 'board' | 'leaving'>
  readonly provisioner: Provisioner
  readonly sessions: Pick<Sessions, 'records' | 'attendance' | 'recovery'>
  readonly authenticator: Authenticator
  readonly losses: Signal<Loss>
  readonly newId: NewId
  readonly log: Log
}

/** Programs without a terminal, over HTTP. */
export const createExecs = (deps: ExecModuleDeps) => {
  const { runtime, provisioner, sessions, authenticator, losses, newId, log } = deps
  const { agents, board, leaving } = deps.agents
  const { records, attendance, recovery } = sessions
  const registry = new ExecRegistry(losses)
  const execs = new ExecService({ agents, runtime, provisioner, execs: registry, records, newId, log })
  attendance.add((agentId) => registry.attended(agentId).map((sessionId) => ({ sessionId, leader: null })))
  leaving.add((agentId) => registry.left(agentId))
  recovery.add(EXEC_MODE, execRecoverer({ runtime, board, records, log }))
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(execRoutes, { agents, authenticator, execs })
  }
  return { routes, callers: () => registry.callers(), end: () => registry.stop(serverStopping) }
}
