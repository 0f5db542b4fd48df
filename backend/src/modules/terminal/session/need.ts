/** Why a session's program waits for its user, as a hook of the program has said it. */
import type { TerminalNeed } from '@slipway/protocol'

/** A terminal that gains or loses the focus reports it, if the program wants that. No user types it. */
const FOCUS = ['\u001b[I', '\u001b[O']

export class Need {
  readonly #changed: () => void
  #what: TerminalNeed | null = null
  #times = 0

  /** `changed` is called after each change. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Null: it is not known to wait. */
  get what(): TerminalNeed | null {
    return this.#what
  }

  /** How often it has begun to wait. */
  get times(): number {
    return this.#times
  }

  /** The program waits, or goes on. */
  set(what: TerminalNeed | null): void {
    if (what === this.#what) return
    this.#what = what
    if (what !== null) this.#times += 1
    this.#changed()
  }

  /** A user has typed, so the program need not wait. */
  typed(data: Uint8Array): void {
    if (this.#what !== null && !FOCUS.includes(Buffer.from(data).toString('latin1'))) this.set(null)
  }
}
