/** Splits long work into slices, so that the page's one thread can do other work in between. */

/** Longest slice, in milliseconds. */
const SLICE_MS = 12

export class Slices {
  #since = performance.now()

  /** Whether it is time for a pause. Ask often: the work between two calls cannot be interrupted. */
  get isDue(): boolean {
    return performance.now() - this.#since >= SLICE_MS
  }

  async pause(): Promise<void> {
    await nextTask()
    this.#since = performance.now()
  }
}

/** A message channel instead of a timer: browsers limit timers of a hidden page to one a second. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
