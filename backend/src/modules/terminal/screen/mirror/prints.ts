/** The pending prints of one mirror. */
import type { Snapshot } from '../snapshot.ts'

/** Most pending prints. Requests beyond it get none. */
const PRINTS_MAX = 32
/** Longest time that prints are held back, in milliseconds: they wait for a megabyte of output. */
const HOLD_MS = 10_000

export class Prints {
  readonly #asked = new Map<number, (snapshot: Snapshot | null) => void>()
  /** Prints after which nothing was sent, by their lines. A request for the same lines shares the print. */
  readonly #shared = new Map<number, { readonly request: number; readonly print: Promise<Snapshot | null> }>()
  /** The requests that are held back; null: none are held back. */
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

  /** Number of requests that were sent. */
  get sent(): number {
    return this.#asked.size - (this.#held?.length ?? 0)
  }

  /**
   * Calls `send` with the number of the request, at once or after {@link release}. `lines` is the key for sharing a
   * print; null: it is not shared.
   */
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

  /** Call when something is sent that pending prints will not show. */
  moved(): void {
    if (!this.#held) this.#shared.clear()
  }

  answered(request: number, snapshot: Snapshot): void {
    this.#asked.get(request)?.(snapshot)
    this.#asked.delete(request)
    for (const [lines, shared] of this.#shared) if (shared.request === request) this.#shared.delete(lines)
  }

  /** Holds back all requests from now on. `late` is called after {@link HOLD_MS}. */
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

  /** Answers all requests with null. */
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
