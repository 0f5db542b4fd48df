/** The runs whose programs this backend holds. */
import type { Program } from '../../runtime/program.ts'
import { headlessOf, labelOfId } from '../providers/catalogue.ts'
import type { OpenProgram } from '../sessions/programs.ts'
import { type ConductDeps, Conductor } from './conduct.ts'
import type { LiveRun } from './follow.ts'
import type { RunReader } from './output/reader.ts'
import type { Held, RunRow } from './repository.ts'
import { type Place, TranscriptWriter } from './transcript/file.ts'

export interface HolderDeps extends ConductDeps {
  /** The folder of the transcripts. */
  readonly folder: string
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
  /** As in `Attached`; false for a new run. */
  readonly hasEnded: boolean
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
  async hold({ open, held, program, reader, after, live, run, ranMs, hasEnded }: Holding): Promise<void> {
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
      hasEnded,
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
