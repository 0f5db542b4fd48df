/** The open questions of runs that programs ask on their own, such as `slipway ask`, and not the CLI over its protocol. */
import { Signal } from '../../../lib/emitter.ts'

export class ProgramQuestions {
  /** Emits the id of a run whose questions have changed. */
  readonly changed: Signal<string>
  /** As many as may be open. */
  readonly #open = new Map<string, Set<string>>()

  constructor(onListenerError: (error: unknown) => void) {
    this.changed = new Signal(onListenerError)
  }

  /** Whether a program of the run waits for people. */
  has(runId: string): boolean {
    return this.#open.has(runId)
  }

  opened(runId: string, askId: string): void {
    this.#open.set(runId, (this.#open.get(runId) ?? new Set<string>()).add(askId))
    this.changed.emit(runId)
  }

  closed(runId: string, askId: string): void {
    const open = this.#open.get(runId)
    if (!open?.delete(askId)) return
    if (open.size === 0) this.#open.delete(runId)
    this.changed.emit(runId)
  }

  /** The run has ended. */
  over(runId: string): void {
    this.#open.delete(runId)
  }
}
