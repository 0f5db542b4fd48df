/** The prints of one mirror that were asked for and are not there yet. */
import type { Snapshot } from '../snapshot.ts'

/** Prints that may be asked for at once; whoever asks beyond that gets none. */
const PRINTS_MAX = 32
/** How long they are held back at most, in milliseconds: what is waited for is a megabyte of output. */
const HOLD_MS = 10_000

export class Prints {
  readonly #asked = new Map<number, (snapshot: Snapshot | null) => void>()
  /** Those after which nothing was sent, by their lines: whoever asks for the same gets the same. */
  readonly #shared = new Map<number, { readonly request: number; readonly print: Promise<Snapshot | null> }>()
  /** What is held back; null: nothing is. */
  #held: (() => void)[] | null = null
  #holding: NodeJS.Timeout | null = null
  #lastRequest = 0

  get isFull(): boolean {
    return this.#asked.size >= PRINTS_MAX
  }

  get isHeld(): boolean {
    return this.#held !== null
  }

  get isEmpty(): boolean {
    return this.#asked.size === 0
  }

  /** Those that were sent. */
  get sent(): number {
    return this.#asked.size - (this.#held?.length ?? 0)
  }

  /** `send` is called with the number of the request, now or when it is held back no longer. `lines`: it may be one with another; null: not. */
  ask(lines: number | null, send: (request: number) => void): Promise<Snapshot | null> {
    const shared = lines === null ? undefined : this.#shared.get(lines)
    if (shared) return shared.print
    if (this.isFull) return Promise.resolve(null)
    const request = (this.#lastRequest += 1)
    const print = new Promise<Snapshot | null>((resolve) => this.#asked.set(request, resolve))
    if (lines !== null) this.#shared.set(lines, { request, print })
    if (this.#held) this.#held.push(() => send(request))
    else send(request)
    return print
  }

  /** Something is sent that those do not show that were. */
  moved(): void {
    if (!this.#held) this.#shared.clear()
  }

  answered(request: number, snapshot: Snapshot): void {
    this.#asked.get(request)?.(snapshot)
    this.#asked.delete(request)
    for (const [lines, shared] of this.#shared) if (shared.request === request) this.#shared.delete(lines)
  }

  /** From now on they wait; `late` is told when that has been long enough. */
  hold(late: () => void): void {
    this.#held ??= []
    this.#holding = setTimeout(late, HOLD_MS)
    this.#holding.unref()
  }

  release(): void {
    const held = this.#held ?? []
    this.#stopHolding()
    for (const send of held) send()
  }

  /** There will be none. */
  forget(): void {
    this.#stopHolding()
    for (const resolve of this.#asked.values()) resolve(null)
    this.#asked.clear()
    this.#shared.clear()
  }

  #stopHolding(): void {
    this.#held = null
    if (this.#holding) clearTimeout(this.#holding)
    this.#holding = null
  }
}
