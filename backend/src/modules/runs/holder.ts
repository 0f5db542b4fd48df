/** The runs whose programs this backend holds. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Program } from '../../runtime/program.ts'
import { headlessOf, labelOfId } from '../providers/catalogue.ts'
import type { OpenProgram, Programs } from '../sessions/programs.ts'
import type { SessionRecords } from '../sessions/records/records.ts'
import { type ConductedRun, Conductor } from './conduct.ts'
import type { LiveRun } from './follow.ts'
import type { RunReader } from './output/reader.ts'
import type { RunMetrics } from './metrics.ts'
import type { Held, RunRepository, RunRow, StoredRunEnd } from './repository.ts'
import { type Place, TranscriptWriter } from './transcript/file.ts'

export interface HolderDeps {
  readonly programs: Pick<Programs, 'release'>
  readonly records: Pick<SessionRecords, 'ended' | 'letGo'>
  readonly repository: Pick<RunRepository, 'end' | 'named' | 'extended'>
  /** The folder of the transcripts. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<RunMetrics, 'firstEvent'>
  /** Called when a run has ended, after its end was stored. */
  readonly ended: (run: ConductedRun, end: StoredRunEnd) => void
}

/** A run to hold. */
export interface Holding {
  readonly open: OpenProgram
  readonly held: Held
  readonly program: Program
  readonly reader: RunReader
  /** Where the transcript of the earlier backends ends; null for a new run. */
  readonly after: Place | null
  /** What clients follow. It has the entries of earlier backends already. */
  readonly live: LiveRun
  readonly run: Pick<RunRow, 'provider' | 'timeoutSeconds' | 'agentName'>
  /** How long it has run already, in milliseconds. */
  readonly ranMs: number
}

export class RunHolder {
  readonly #deps: HolderDeps
  /** As many as users may have runs. */
  readonly #conductors = new Map<string, Conductor>()
  #isStopping = false

  constructor(deps: HolderDeps) {
    this.#deps = deps
  }

  /** How many runs this backend holds. */
  get size(): number {
    return this.#conductors.size
  }

  /** Null if this backend does not hold the run. */
  conductorOf(id: string): Conductor | null {
    return this.#conductors.get(id) ?? null
  }

  /** Begins to follow a program. If that fails, the call rejects, and the program is the caller's. */
  async hold({ open, held, program, reader, after, live, run, ranMs }: Holding): Promise<void> {
    const { folder, log } = this.#deps
    const { id, generation } = held
    const onFailure = (error: unknown): void =>
      log.error({ sessionId: id, err: error }, 'a transcript cannot be written')
    const writer = await TranscriptWriter.begin(folder, id, { generation, after }, onFailure)
    const conductor = new Conductor(this.#deps, {
      open,
      held,
      program,
      reader,
      writer,
      live,
      provider: run.provider,
      names: { provider: labelOfId(run.provider), agent: run.agentName },
      timeoutSeconds: run.timeoutSeconds,
      ranMs,
      answersInterrupt: headlessOf(run.provider)?.answersInterrupt ?? false,
    })
    this.#conductors.set(id, conductor)
    void conductor.done.finally(() => this.#conductors.delete(id))
    if (this.#isStopping) void conductor.letGo()
  }

  /** Leaves all runs to the next backend. Resolves when what they printed so far is stored. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#conductors.values()].map((conductor) => conductor.letGo()))
  }
}
