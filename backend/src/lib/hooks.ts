/** Work that a lower module waits for and that modules above it add, so that the lower one need not know them. */
export class Hooks<T> {
  readonly #hooks: ((value: T) => Promise<unknown>)[] = []

  /** Adds a hook for as long as the process runs. */
  add(hook: (value: T) => Promise<unknown>): void {
    this.#hooks.push(hook)
  }

  /** Runs all hooks concurrently. Rejects if one does. */
  async run(value: T): Promise<void> {
    await Promise.all(this.#hooks.map((hook) => hook(value)))
  }
}
