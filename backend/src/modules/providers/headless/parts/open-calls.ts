/** Calls of tools that have started and not ended. */

/** Most open calls of one process. CLIs have a few at a time; a hostile one may start calls without an end. */
const OPEN_MAX = 1_000

/** What a driver has to know of a call until it ends. If there are too many, the oldest call is dropped. */
export class OpenCalls<T> {
  readonly #calls = new Map<string, T>()

  has(id: string | null): boolean {
    return id !== null && this.#calls.has(id)
  }

  /** What is known of a call. Undefined: it is not open. */
  get(id: string | null): T | undefined {
    return id === null ? undefined : this.#calls.get(id)
  }

  start(id: string | null, call: T): void {
    if (id === null) return
    this.#calls.set(id, call)
    if (this.#calls.size <= OPEN_MAX) return
    for (const oldest of this.#calls.keys()) {
      this.#calls.delete(oldest)
      return
    }
  }

  /** Ends a call. Undefined: its start is unknown. */
  end(id: string | null): T | undefined {
    if (id === null) return undefined
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    return call
  }
}
