/** Runs changes of preparations one after the other for each agent. */

export class PreparationChanges {
  /** By agent: settles with the last change that has begun or waits. */
  readonly #last = new Map<string, Promise<void>>()

  async run<T>(agentId: string, change: () => Promise<T>): Promise<T> {
    const before = this.#last.get(agentId)
    const result = (async () => {
      await before
      return change()
    })()
    const over = result.then(
      () => undefined,
      () => undefined,
    )
    this.#last.set(agentId, over)
    try {
      return await result
    } finally {
      if (this.#last.get(agentId) === over) this.#last.delete(agentId)
    }
  }
}
