/** Undoes what a run has opened, whatever happens. */

type Step = () => Promise<unknown>

/** Runs steps in the reverse order. If one fails, the others still run. */
export class Cleanup {
  #steps: Step[] = []
  #running: Promise<void> | null = null

  add(step: Step): void {
    this.#steps.push(step)
  }

  /** Runs all steps once. A second call waits for the first. */
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
