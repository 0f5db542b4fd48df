/** What starting runs needs. */
import type { Clock } from '../../../lib/time/clock.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { AgentService } from '../../agents/service.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Provisioner } from '../../credentials/provision/provision.ts'
import type { Programs } from '../../sessions/programs.ts'
import type { SessionRecords } from '../../sessions/records/records.ts'
import type { KeyApprovals } from '../../sessions/start/key-approvals.ts'
import type { ChangeDeps } from '../changes/changes.ts'
import type { InstalledClis } from '../cli-providers/installed.ts'
import type { Spending } from '../ledger/spending.ts'
import type { RunHolder } from '../conduct/holder.ts'
import type { Leases } from '../lease/leases.ts'
import type { LineRepository } from '../line/repository.ts'
import type { LiveRuns } from '../live-runs.ts'
import type { InteractiveRuns } from '../interactive/runs.ts'
import type { TaskSkills } from '../../skills/task-skills.ts'
import type { RunPlaces } from './place.ts'
import type { RunPlanner } from './plan.ts'
import type { RunRepository } from '../repository.ts'

export interface StarterDeps {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly planner: RunPlanner
  readonly runtime: Pick<ContainerRuntime, 'start' | 'run' | 'putRootFile'>
  readonly provisioner: Pick<Provisioner, 'provideTask'>
  readonly approvals: Pick<KeyApprovals, 'approve'>
  readonly installed: Pick<InstalledClis, 'has'>
  readonly programs: Programs
  readonly records: Pick<SessionRecords, 'begin' | 'running' | 'ended'>
  readonly repository: RunRepository
  readonly line: LineRepository
  readonly leases: Pick<Leases, 'forRun'>
  readonly holder: RunHolder
  readonly interactive: Pick<InteractiveRuns, 'start'>
  readonly lives: LiveRuns
  /** The folder of the transcripts. */
  readonly folder: string
  readonly changes: ChangeDeps
  readonly skills: Pick<TaskSkills, 'give' | 'ended'>
  readonly places: RunPlaces
  readonly spending: Pick<Spending, 'require'>
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
}
