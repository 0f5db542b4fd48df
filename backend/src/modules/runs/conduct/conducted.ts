/** A run that a backend conducts, and what conducting it needs. */
import type { RunHappening } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Program } from '../../../runtime/program.ts'
import type { OpenProgram, Programs } from '../../sessions/programs.ts'
import type { SessionRecords } from '../../sessions/records/records.ts'
import type { UserMessage } from '../../providers/headless/headless.ts'
import type { Gate } from '../gate/standing.ts'
import type { Gates } from '../gate/gates.ts'
import type { GateRepository } from '../gate/repository.ts'
import type { RunChanges } from '../changes/changes.ts'
import type { Names } from '../end.ts'
import type { LiveRun } from './follow.ts'
import type { RunPeople } from '../people/people.ts'
import type { ProgramQuestions } from '../people/program-questions.ts'
import type { RunWait } from '../people/wait.ts'
import type { Meter } from '../ledger/meter.ts'
import type { LineRepository } from '../line/repository.ts'
import type { LiveRuns } from '../live-runs.ts'
import type { RunReader } from '../output/reader.ts'
import type { RunMetrics } from '../metrics.ts'
import type { Held, RunRepository } from '../repository.ts'
import type { StoredRunEnd } from '../stored-end.ts'
import type { StallWatch } from '../stall/watch.ts'
import type { TranscriptWriter } from '../transcript/file.ts'

export interface ConductDeps {
  readonly programs: Pick<Programs, 'over' | 'release'>
  readonly records: Pick<SessionRecords, 'ended' | 'letGo'>
  readonly repository: Pick<RunRepository, 'end' | 'named' | 'extended' | 'isTaken'>
  readonly line: Pick<LineRepository, 'wait'>
  readonly gates: Pick<Gates, 'judge'>
  readonly repairs: Pick<GateRepository, 'repair'>
  readonly lives: Pick<LiveRuns, 'over'>
  readonly questions: Pick<ProgramQuestions, 'has' | 'changed'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<RunMetrics, 'firstEvent' | 'used'>
  readonly stalls: Pick<StallWatch, 'watch'>
  /** Called when the run has ended, after its end was stored. */
  readonly ended: (run: ConductedRun, end: StoredRunEnd) => void
  /** Called when the run waits for the end of a usage limit, after this was stored. */
  readonly waits: (run: ConductedRun, until: Date) => void
  /** Called when a repair of the run is in line, after this was stored. */
  readonly repaired: (run: ConductedRun) => void
}

/** A run with a program that this backend holds. */
export interface ConductedRun {
  readonly open: OpenProgram
  readonly held: Held
  readonly program: Program
  readonly reader: RunReader
  readonly writer: TranscriptWriter
  readonly live: LiveRun
  readonly changes: Pick<RunChanges, 'diff' | 'collect' | 'collectLate' | 'leave'>
  readonly provider: string
  /** The model that was asked for. */
  readonly model: string | null
  readonly names: Names
  readonly timeoutSeconds: number
  readonly meter: Meter
  /** Whether it waits for the end of a usage limit, in place of ending. */
  readonly waitsForLimit: boolean
  /** Null if it asks no questions. */
  readonly people: RunPeople | null
  /** What its work has to pass before it counts as completed; null: nothing. */
  readonly gate: Gate | null
  /** Whether it waits for people. */
  readonly wait: Pick<RunWait, 'keep'>
  /** How long it has run already, in milliseconds, without the time in which it waited for people. */
  readonly ranMs: number
  /** Whether its program had ended when this backend attached. Then its end follows, and no time counts. */
  readonly hasEnded: boolean
  readonly answersInterrupt: boolean
  /** As in `HeadlessOutput`. */
  readonly isQuiet: boolean
}

/** A run that this backend holds, whatever its program is. */
export interface HeldRun {
  readonly run: Pick<ConductedRun, 'live' | 'changes'>
  /** Resolves when all that the run's row and its result say is stored. Its last processes may still be going. */
  readonly settled: Promise<null>
  /** Resolves when nothing of the run is left in this backend. */
  readonly done: Promise<void>
  /** Ends the run in the name of a user. One whose row has ended already needs no name. */
  terminate(by?: string): void
  /** Gives it a message of a user while its turn goes on. False if it takes none. Absent: it never does. */
  steer?(message: UserMessage): Promise<boolean>
  /** Adds to its events. Absent: it has none. */
  add?(happening: RunHappening): void
  /** Leaves the run to the next backend. Resolves when what it printed so far is stored. */
  letGo(): Promise<void>
}
