/** Listeners for the ends of execs. The event stream reports these even if a background job keeps the socket open. */
export class ExecExits {
  readonly #waiting = new Map<string, (exitCode: number) => void>()

  /** Calls `listener` once with the exit code. Register it before the start, or the end of a short exec is missed. */
  once(execId: string, listener: (exitCode: number) => void): void {
    this.#waiting.set(execId, listener)
  }

  forget(execId: string): void {
    this.#waiting.delete(execId)
  }

  ended(execId: string, exitCode: number): void {
    const listener = this.#waiting.get(execId)
    this.#waiting.delete(execId)
    listener?.(exitCode)
  }

  /**
   * Asks for the state of each exec, because events may have been missed. `exitCodeOf` resolves to null if the exec has
   * not ended.
   */
  async recheck(exitCodeOf: (execId: string) => Promise<number | null>): Promise<void> {
    await Promise.all(
      [...this.#waiting.keys()].map(async (execId) => {
        const exitCode = await exitCodeOf(execId).catch(() => null)
        if (exitCode !== null) this.ended(execId, exitCode)
      }),
    )
  }
}
