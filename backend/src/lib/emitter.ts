/** One kind of event inside this process. */

/** What a subscriber gives; a promise it returns is not awaited. */
export type Listener<T> = (value: T) => void

/** One event, and the way to the one after it; the last of a chain is the one that is still to come. */
interface Link<T> {
  told: { readonly value: T; readonly next: Link<T> } | null
}

/**
 * What is told from a moment on, for whoever can say only later which of it concerns them. There is no list and nothing to
 * unsubscribe from: it points into the chain of events, whose past goes with the last one who points there. Keep it no
 * longer than somebody's way in takes: a few answers of the database, and the print of a screen.
 */
export class Since<T> {
  #from: Link<T> | null

  constructor(from: Link<T>) {
    this.#from = from
  }

  /** The first of them that matches. Asked once: it lets go of them, and whoever asks listens from then on. */
  settle(matches: (value: T) => boolean): T | undefined {
    let told = this.#from?.told
    this.#from = null
    while (told && !matches(told.value)) told = told.next.told
    return told?.value
  }
}

/**
 * Tells every listener, synchronously and in order of subscription. A listener that throws does not keep the others
 * from hearing; its error goes to `onError`.
 */
export class Signal<T> {
  readonly #listeners = new Set<{ readonly call: Listener<T> }>()
  readonly #onError: (error: unknown) => void
  #coming: Link<T> = { told: null }

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

  /** What is told from now on. */
  since(): Since<T> {
    return new Since(this.#coming)
  }

  /** Calls every listener there is now; one that is removed meanwhile is not called any more. */
  emit(value: T): void {
    const next: Link<T> = { told: null }
    this.#coming.told = { value, next }
    this.#coming = next
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
