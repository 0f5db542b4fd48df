/** One attempt to prepare an agent, while it goes on. */
import { SECOND_MS } from '../../lib/time/clock.ts'
import { Masking } from '../runs/output/masking.ts'
import type { PreparationRow } from './repository.ts'
import { Transcript } from './transcript.ts'
import type { Live } from './view.ts'

/** Shortest time between two events about progress, in milliseconds. */
const TELL_EVERY_MS = SECOND_MS / 4

/** Its state is another one by now: it was cancelled, it waits for a user, or its agent was deleted. */
export class Over extends Error {
  override readonly name = 'Over'
}

/** Runs a change of the preparation alone: neither a user nor another attempt changes it at the same time. */
type Alone = <T>(change: () => Promise<T>) => Promise<T>

export class Attempt {
  readonly #leaving = new AbortController()
  readonly #tell: (row: PreparationRow, live: Live) => void
  readonly #alone: Alone
  #masking = new Masking()
  #transcript = new Transcript()
  /** Null before its first state. */
  #row: PreparationRow | null = null
  #timer: NodeJS.Timeout | null = null

  /** `tell` is called with what changes, a few times a second at most. */
  constructor(tell: (row: PreparationRow, live: Live) => void, alone: Alone) {
    this.#tell = tell
    this.#alone = alone
  }

  /** Aborted when its programs must end. */
  get left(): AbortSignal {
    return this.#leaving.signal
  }

  leave(): void {
    this.#leaving.abort()
  }

  /**
   * Changes the state, unless the attempt has been left. Throws {@link Over} then, and if nothing changes: the state may be
   * that of the next attempt.
   */
  change(turn: () => Promise<PreparationRow | null>): Promise<PreparationRow> {
    return this.#alone(async () => {
      const row = this.left.aborted ? null : await turn()
      if (!row) throw new Over()
      return row
    })
  }

  /** Masks these in what is shown. */
  hide(secrets: readonly string[]): void {
    this.#masking = new Masking(secrets)
  }

  /** It is in another state. What was printed before is forgotten. */
  next(row: PreparationRow): void {
    this.#row = row
    this.#transcript = new Transcript()
    this.#told()
  }

  /** `source` names the program and its output. */
  output(chunk: Uint8Array, source: string): void {
    this.#transcript.add(chunk, source)
    this.#timer ??= setTimeout(() => this.#told(), TELL_EVERY_MS).unref()
  }

  get live(): Live {
    return { progress: this.#transcript.progress, output: this.#masking.mask(this.#transcript.text) }
  }

  /** Nothing is told any more. */
  over(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #told(): void {
    this.over()
    if (this.#row) this.#tell(this.#row, this.live)
  }
}
