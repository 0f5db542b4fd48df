/** Events of one kind within this process. */

/** Called with each event. A promise that it returns is not awaited. */
export type Listener<T> = (value: T) => void

/** An event and the link to the next one. The last link of a chain stands for the event that is still to come. */
interface Link<T> {
  told: { readonly value: T; readonly next: Link<T> } | null
}

/**
 * The events since a moment, for a caller who knows only later which of them matter. It points into the chain of
 * events, so there is no list and no unsubscribing: events that nothing points to any more are collected. Keep it only
 * for as long as a request takes, because it keeps all later events alive.
 */
export class Since<T> {
  #from: Link<T> | null

  constructor(from: Link<T>) {
    this.#from = from
  }

  /**
   * The first event that matches. May be called once: it releases the events, and the caller subscribes from then on.
   */
  settle(matches: (value: T) => boolean): T | undefined {
    let told = this.#from?.told
    this.#from = null
    while (told && !matches(told.value)) told = told.next.told
    return told?.value
  }
}

/**
 * Calls every listener, synchronously and in order of subscription. If a listener throws, the others are still called;
 * its error goes to `onError`.
 */
export class Signal<T> {
  readonly #listeners = new Set<{ readonly call: Listener<T> }>()
  readonly #onError: (error: unknown) => void
  #coming: Link<T> = { told: null }

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError
  }

  /** How many listeners are subscribed, so that a test can see one that was left behind. */
  get size(): number {
    return this.#listeners.size
  }

  /** Subscribes. Call the answer to unsubscribe; calling it again does nothing. */
  on(listener: Listener<T>): () => void {
    const entry = { call: listener }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  /** The events from now on. */
  since(): Since<T> {
    return new Since(this.#coming)
  }

  /** Calls every listener that is subscribed now. One that is unsubscribed during the call is skipped. */
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
