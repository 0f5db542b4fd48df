/** Wires the module together. */
import { EXECS_PER_USER } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { IdempotencyKeys } from '../idempotency/keys.ts'
import { serverStopping } from '../sessions/ending.ts'
import { EXEC_MODE } from '../sessions/records/records.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type LeftExecDeps, LeftExecs } from './left-execs.ts'
import { type ProgramLimit, Programs } from '../sessions/programs.ts'
import { execRoutes } from './routes.ts'
import { ExecService } from './service.ts'

/** What {@link createExecs} needs. */
export interface ExecModuleDeps {
  readonly runtime: ContainerRuntime
  readonly agents: Pick<Agents, 'agents' | 'leaving' | 'board'>
  readonly provisioner: Provisioner
  readonly sessions: Pick<Sessions, 'records' | 'attendance' | 'recovery' | 'reinstate'>
  readonly authenticator: Authenticator
  /** Whether a request with an idempotency key waits for the program with this id. */
  readonly isAwaited: IdempotencyKeys['isAwaited']
  readonly losses: Signal<Loss>
  readonly newId: NewId
  readonly log: Log
}

/** Delay before a user with too many programs should retry, in seconds. Any program's end makes room. */
const RETRY_AFTER_SECONDS = 5

/** How many programs one user may run. */
export const LIMIT: ProgramLimit = ({ ofUser }) => {
  if (ofUser < EXECS_PER_USER) return null
  const message = `You have ${EXECS_PER_USER} programs running, the maximum. Wait for one to end.`
  return new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** Programs without a terminal, over HTTP. */
export const createExecs = (deps: ExecModuleDeps) => {
  const { runtime, provisioner, sessions, authenticator, isAwaited, losses, newId, log } = deps
  const { agents, leaving, board } = deps.agents
  const { records, attendance, recovery, reinstate } = sessions
  const registry = new Programs(losses, LIMIT)
  const isKeyed: LeftExecDeps['isKeyed'] = ({ id, userId }) => isAwaited({ userId, resourceId: id })
  const left = new LeftExecs({ runtime, board, records, execs: registry, reinstate, isKeyed, log })
  recovery.handle(EXEC_MODE, left.decider)
  const recovered = recovery.decided.bind(recovery)
  const execs = new ExecService({
    agents,
    runtime,
    provisioner,
    execs: registry,
    records,
    left,
    recovered,
    newId,
    log,
  })
  attendance.add((agentId) => registry.attended(agentId))
  leaving.add((agentId) => registry.left(agentId))
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(execRoutes, { agents, authenticator, execs })
  }
  return {
    routes,
    /** Runs programs for other modules, too. */
    service: execs,
    callers: () => registry.callers(),
    end: async (): Promise<void> => {
      await registry.stop(serverStopping)
      left.stop()
    },
  }
}
