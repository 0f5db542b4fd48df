/** What clients get of a run: its stored events in order, and the end of its output. */
import type { RunEvent } from '@slipway/protocol'
import { RUN_OUTPUT_BYTES } from '@slipway/protocol'
import { aborted } from '../../../lib/aborted.ts'
import type { Caller } from '../../identity/caller.ts'
import { isKeptFrom } from '../../sessions/claim.ts'
import { OutputTail } from '../../sessions/output-tail.ts'
import type { Entry } from '../transcript/entry.ts'
import { type TranscriptPosition, readTranscript } from '../transcript/file.ts'

/** Called with entries that were stored. */
export type EntriesListener = (entries: readonly Entry[]) => void

/** A run that is active in this backend, as clients follow it. */
export class LiveRun {
  readonly id: string
  /** The last segment of its transcript; null until this backend writes one. */
  generation: number | null = null
  readonly #tail = new OutputTail(RUN_OUTPUT_BYTES)
  readonly #listeners = new Set<EntriesListener>()
  #isOver = false
  #personal = false
  readonly #finished = Promise.withResolvers<null>()
  readonly #becamePersonal = Promise.withResolvers<null>()
  #wakeUp = Promise.withResolvers<null>()
  #lastSeq = 0

  constructor(id: string) {
    this.id = id
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether one of its processes was given a personal credential of its user. */
  get personal(): boolean {
    return this.#personal
  }

  /** The number of its last stored event. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** The end of its output so far, as text. */
  get output(): string {
    return this.#tail.text
  }

  /** Resolves when more is stored, or when it is over. */
  get changed(): Promise<unknown> {
    return this.#wakeUp.promise
  }

  /** Resolves when it is over. */
  get finished(): Promise<unknown> {
    return this.#finished.promise
  }

  /** Resolves when it becomes personal. */
  get becamePersonal(): Promise<unknown> {
    return this.#becamePersonal.promise
  }

  /** Call it before anything of a process with a personal credential is stored. */
  becomePersonal(): void {
    this.#personal = true
    this.#becamePersonal.resolve(null)
    this.#wake()
  }

  /** The entries were stored. */
  stored(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#tail.append(Buffer.from(outputOf(entry)))
      this.#lastSeq = entry.events.at(-1)?.seq ?? this.#lastSeq
    }
    for (const listener of [...this.#listeners]) listener(entries)
    this.#wake()
  }

  /** Nothing follows. */
  over(): void {
    this.#isOver = true
    this.#finished.resolve(null)
    this.#wake()
  }

  /** Calls the listener with all entries from now on. Call the answer to stop. */
  on(listener: EntriesListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #wake(): void {
    this.#wakeUp.resolve(null)
    this.#wakeUp = Promise.withResolvers()
  }
}

/** The output of an entry, with its line feed. */
export const outputOf = ({ raw, isPart }: Entry): string => (raw === null ? '' : isPart ? raw : `${raw}\n`)

/** How a caller follows a run. */
export interface Following {
  readonly caller: Caller
  /** Null if the run has ended. */
  readonly live: LiveRun | null
  readonly after: number
  /** Whether the run has no events until its end, and its transcript is written anew all the time. Absent: no. */
  readonly isEventless?: boolean
  /** Aborted when the caller has left. */
  readonly left: AbortSignal
}

/**
 * The events of a run after a number, in order and each once. While the run is active it waits for more. It ends with
 * the run, when `left` is aborted, or when the run becomes one that is kept from the caller.
 */
export async function* followEvents(
  folder: string,
  id: string,
  { caller, live, after, isEventless = false, left }: Following,
): AsyncGenerator<RunEvent> {
  const gone = aborted(left)
  const isLeft = (): boolean => left.aborted || (live !== null && isKeptFrom(caller, live))
  let from: TranscriptPosition | null = null
  if (isEventless && live) return void (await Promise.race([live.finished, live.becamePersonal, gone]))
  while (!isLeft()) {
    // Asked before reading, so that what is stored meanwhile is read in the next round.
    const isLast = live === null || live.isOver
    const changed = live?.changed
    for await (const { entry, place } of readTranscript(folder, id, { from, last: live?.generation ?? undefined })) {
      from = place
      for (const event of entry.events) {
        if (isLeft()) return
        if (event.seq > after) yield event
      }
      if (isLeft()) return
    }
    if (isLast) return
    await Promise.race([changed, gone])
  }
}

/** The end of the output of a run that is over. */
export const storedOutput = async (folder: string, id: string): Promise<string> => {
  const tail = new OutputTail(RUN_OUTPUT_BYTES)
  for await (const { entry } of readTranscript(folder, id)) tail.append(Buffer.from(outputOf(entry)))
  return tail.text
}
