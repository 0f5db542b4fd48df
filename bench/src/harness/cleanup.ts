/** What a run has opened and must leave nothing of, whatever happens. */

type Step = () => Promise<unknown>

/** Steps are undone in the opposite order; one that fails does not keep the others from running. */
export class Cleanup {
  #steps: Step[] = []
  #running: Promise<void> | null = null

  add(step: Step): void {
    this.#steps.push(step)
  }

  /** Runs everything once; a second call waits for the first. */
  run(): Promise<void> {
    this.#running ??= this.#undo()
    return this.#running
  }

  async #undo(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        process.stderr.write(`bench: something could not be cleaned up: ${String(error)}\n`)
      }
    }
  }
}
