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
}
