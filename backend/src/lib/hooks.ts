/** Work that a lower room waits for, and that rooms above it add: the lower one does not know them. */
export class Hooks<T> {
  readonly #hooks: ((value: T) => Promise<unknown>)[] = []

  /** Adds one, for as long as the process runs. */
  add(hook: (value: T) => Promise<unknown>): void {
    this.#hooks.push(hook)
  }

  /** Runs all of them side by side. Rejects when one does. */
  async run(value: T): Promise<void> {
    await Promise.all(this.#hooks.map((hook) => hook(value)))
  }
}
