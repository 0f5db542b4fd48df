/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { Attendance } from './processes/attendance.ts'
import { CliAccessService } from './cli/access.ts'
import { HomeSignIns } from './cli/home.ts'
import { cliAccessRoutes } from './cli/routes.ts'
import { KeyApprovals } from './start/key-approvals.ts'
import { ProcessService } from './processes/processes.ts'
import { SessionRecords } from './records/records.ts'
import { Recovery } from './recovery/recovery.ts'
import { reinstater } from './recovery/reinstate.ts'
import { SessionRepository } from './records/repository.ts'
import { processRoutes } from './processes/routes.ts'
import { ShareeProcesses } from './processes/sharee-processes.ts'

/** What {@link createSessions} needs. */
export interface SessionDeps {
  readonly prisma: Database['prisma']
  readonly runtime: ContainerRuntime
  readonly audit: Audit
  readonly agents: Pick<Agents, 'activity' | 'agents' | 'board' | 'repository' | 'signals'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly authenticator: Authenticator
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}

/** The parts that every kind of session uses. */
export const createSessions = (deps: SessionDeps) => {
  const { prisma, runtime, audit, agents, credentials, authenticator, log, onListenerError } = deps
  const happened = agents.activity.happened.bind(agents.activity)
  const records = new SessionRecords({ repository: new SessionRepository(prisma, audit), audit, log, happened })
  const recovery = new Recovery({ board: agents.board, records, log })
  const attendance = new Attendance()
  const inAgents = {
    runtime,
    agents: agents.agents,
    attended: (agentId: string) => attendance.of(agentId),
    recovered: (agentId: string) => recovery.decided(null, agentId),
    records,
    audit,
  }
  const processes = new ProcessService(inAgents)
  const shareeProcesses = new ShareeProcesses({ ...inAgents, agentRows: agents.repository, log })
  // Not awaited: the share is gone at once, but a process that ignores the request to end is killed only seconds later.
  agents.signals.unshared.on((unshared) => void shareeProcesses.end(unshared))
  const homes = new HomeSignIns(runtime, log, new Signal(onListenerError))
  const { provisioner } = credentials
  const access = new CliAccessService({ provisioner, homes, agents: agents.agents })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(processRoutes, { agents: agents.agents, processes })
    await api.register(cliAccessRoutes, { agents: agents.agents, access })
  }
  return {
    records,
    recovery,
    attendance,
    homes,
    approvals: new KeyApprovals(runtime, log),
    reinstate: reinstater({ authenticator, repository: agents.repository }),
    routes,
    start: (): Promise<void> => Promise.resolve(shareeProcesses.start()),
    // Not awaited, since the engine may hang. The next start takes over what is left.
    quiesce: () => {
      recovery.stop()
      shareeProcesses.stop()
    },
    flush: () => records.close(),
  }
}
export type Sessions = ReturnType<typeof createSessions>
