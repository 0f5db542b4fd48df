/** One kind of event inside this process. */

/** What a subscriber gives; a promise it returns is not awaited. */
export type Listener<T> = (value: T) => void

/**
 * Tells every listener, synchronously and in order of subscription. A listener that throws does not keep the others
 * from hearing; its error goes to `onError`.
 */
export class Signal<T> {
  readonly #listeners = new Set<{ readonly call: Listener<T> }>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError
  }

  /** How many are subscribed; a test that leaves one behind sees it here. */
  get size(): number {
    return this.#listeners.size
  }

  /** Subscribes; the answer ends the subscription and may be called more than once. */
  on(listener: Listener<T>): () => void {
    const entry = { call: listener }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** Calls every listener there is now; one that is removed meanwhile is not called any more. */
  emit(value: T): void {
    for (const entry of [...this.#listeners]) {
      if (!this.#listeners.has(entry)) continue
      try {
        entry.call(value)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
