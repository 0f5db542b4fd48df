/** What clients follow of the runs that have not ended. */
import { LiveRun } from './conduct/follow.ts'
import type { Held } from './repository.ts'
import type { Entry } from './transcript/entry.ts'
import { type TranscriptPosition, readTranscript } from './transcript/file.ts'

export class LiveRuns {
  /** As many as there are runs that have not ended, and that start or are followed here. */
  readonly #lives = new Map<string, LiveRun>()

  /** Null if nothing of this backend follows the run or holds it. */
  find(id: string): LiveRun | null {
    return this.#lives.get(id) ?? null
  }

  /** The one of a run that has not ended. It is there until {@link over}. */
  get(id: string): LiveRun {
    const live = this.#lives.get(id) ?? new LiveRun(id)
    this.#lives.set(id, live)
    return live
  }

  /** The run has ended, or this backend leaves it. */
  over(id: string): void {
    this.#lives.get(id)?.over()
    this.#lives.delete(id)
  }

  /** This backend leaves all runs. */
  stop(): void {
    for (const id of [...this.#lives.keys()]) this.over(id)
  }
}

/** The stored entries of a run, and the place behind those that were read. They fill a live run that has none yet. */
export const replay = (
  folder: string,
  { id, generation }: Held,
  live: LiveRun,
): { entries: AsyncGenerator<Entry>; end: () => TranscriptPosition | null } => {
  const isEmpty = live.lastSeq === 0
  let end: TranscriptPosition | null = null
  const entries = async function* (): AsyncGenerator<Entry> {
    // A first start has none, and the folder may be large.
    if (generation === 1) return
    for await (const { entry, place } of readTranscript(folder, id)) {
      end = place
      if (isEmpty) live.stored([entry])
      yield entry
    }
  }
  return { entries: entries(), end: () => end }
}
