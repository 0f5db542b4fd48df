/** Adds to the transcripts of runs that have ended. */
import type { RunHappening } from '@slipway/protocol'
import { aborted } from '../../../lib/aborted.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { LiveRuns } from '../live-runs.ts'
import type { RunRepository, RunRow } from '../repository.ts'
import { type Entry, headLine, lineOf } from './entry.ts'
import { type Placed, readTranscript, writeSegment } from './file.ts'
import { packSegment } from './segment.ts'

/** How often a run is added to after its end. Each time is a segment, and each event is read whenever the run is. */
export const ADDED_MAX = 20

interface Deps {
  /** The folder of the transcripts. */
  readonly folder: string
  readonly lives: Pick<LiveRuns, 'find'>
  readonly repository: Pick<RunRepository, 'addedTo'>
  readonly clock: Clock
}

export class EndedTranscripts {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Adds events behind all others. A run without a transcript, or to which was added {@link ADDED_MAX} times, stays as it is.
   * So does one whose program is still being ended when `left` is aborted. Rejects if the disk or the database refuses.
   */
  async add(
    { id, generation }: Pick<RunRow, 'id' | 'generation'>,
    happenings: readonly RunHappening[],
    left: AbortSignal,
  ): Promise<void> {
    const { folder, lives, repository, clock } = this.#deps
    // Its program may still say its last words.
    const live = lives.find(id)
    if (live) await Promise.race([live.finished, aborted(left)])
    if (live?.isOver === false) return
    let last: Placed | null = null
    let seq = 0
    for await (const placed of readTranscript(folder, id)) {
      last = placed
      seq = placed.entry.events.at(-1)?.seq ?? seq
    }
    if (last === null || last.place.generation >= generation + ADDED_MAX) return
    const now = clock.now()
    const at = new Date(now).toISOString()
    const events = happenings.map((happening) => ({ seq: (seq += 1), at, ...happening }))
    const { offsets } = last.entry
    const entry: Entry = { at: now, raw: null, isCut: false, from: 'stdout', offsets, events }
    const next = last.place.generation + 1
    // Whole, because the sweeper may compress it at any time.
    await writeSegment(folder, id, next, headLine({ generation: next, after: last.place }) + lineOf(entry))
    await repository.addedTo(id, seq)
    await packSegment(folder, id, next)
  }
}
