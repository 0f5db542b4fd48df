/** Who waits for the end of which exec: the event stream tells it, also where a background job keeps the socket open. */
export class ExecExits {
  readonly #waiting = new Map<string, (exitCode: number) => void>()

  /** Calls `listener` once with the exit code. Register before the exec is started, or a short one is missed. */
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

  /** Asks for each, after a time in which nothing was told. `exitCodeOf` answers null for what has not ended. */
  async recheck(exitCodeOf: (execId: string) => Promise<number | null>): Promise<void> {
    await Promise.all(
      [...this.#waiting.keys()].map(async (execId) => {
        const exitCode = await exitCodeOf(execId).catch(() => null)
        if (exitCode !== null) this.ended(execId, exitCode)
      }),
    )
  }
}
