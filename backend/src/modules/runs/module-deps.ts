/** What the module is wired with. */
import type { Registry } from 'prom-client'
import type { Jobs } from '../../database/jobs.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Loss } from '../access/loss.ts'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Dialogs } from '../dialogs/dialogs.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Skills } from '../skills/skills.ts'
import type { RunPlaces } from './start/place.ts'
import type { RunOutbox } from './outbox/repository.ts'

/** What `createRuns` needs. */
export interface RunModuleDeps {
  readonly config: {
    readonly dataDir: string
    readonly transcriptsDays: number | null
    /** Largest size of all transcripts, in bytes. */
    readonly transcriptsBytes: number
    readonly maxTasks: number
    readonly maxTasksPerAgent: number
    readonly taskStallMs: number
  }
  readonly prisma: Database['prisma']
  readonly jobs: Jobs
  readonly outbox: RunOutbox
  readonly places: RunPlaces
  readonly audit: Audit
  readonly runtime: ContainerRuntime
  readonly agents: Pick<Agents, 'activity' | 'agents' | 'repository' | 'leaving' | 'board'>
  readonly credentials: Pick<Credentials, 'provisioner' | 'wasSet'>
  readonly sessions: Pick<Sessions, 'records' | 'attendance' | 'recovery' | 'reinstate' | 'approvals' | 'homes'>
  readonly dialogs: Pick<Dialogs, 'service' | 'repository' | 'closed' | 'rules'>
  readonly skills: Pick<Skills, 'ofTasks'>
  readonly losses: Signal<Loss>
  readonly metrics: Registry
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly onListenerError: (error: unknown) => void
}
