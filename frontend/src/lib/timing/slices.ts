/** Long work in slices, with pauses for everything else that a page's one thread has to do. */

/** Without a pause, in milliseconds. */
const SLICE_MS = 12

export class Slices {
  #since = performance.now()

  /** Whether it is time for a pause. To be asked often: what is done between two questions is not cut. */
  get isDue(): boolean {
    return performance.now() - this.#since >= SLICE_MS
  }

  async pause(): Promise<void> {
    await nextTask()
    this.#since = performance.now()
  }
}

/** Not by a timer, of which a page that nobody looks at has one a second. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
