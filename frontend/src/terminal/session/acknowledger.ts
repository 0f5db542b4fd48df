import { ACK_EVERY_BYTES } from '@slipway/protocol'
import type { Schedule } from '@/lib/timing/schedule.ts'

/** How long the parser may be idle before the rest is acknowledged, in milliseconds: no frame for each echoed key. */
export const IDLE_ACK_MS = 100

/**
 * Counts what the parser has consumed and tells the server, which stops reading the program while too much is under
 * way. Offsets are absolute: the first byte after `auth_success` stands at the offset that frame names.
 */
export class Acknowledger {
  #consumed: number
  #acknowledged: number
  #cancelIdle: (() => void) | null = null
  readonly #send: (offset: number) => void
  readonly #schedule: Schedule

  constructor(offset: number, send: (offset: number) => void, schedule: Schedule) {
    this.#consumed = offset
    this.#acknowledged = offset
    this.#send = send
    this.#schedule = schedule
  }

  /** To be called from the parser's callback, in the order in which the bytes came. */
  consumed(bytes: number): void {
    this.#consumed += bytes
    if (this.#consumed - this.#acknowledged >= ACK_EVERY_BYTES) this.#acknowledge()
    else this.#cancelIdle ??= this.#schedule(() => this.#acknowledge(), IDLE_ACK_MS)
  }

  stop(): void {
    this.#cancelIdle?.()
    this.#cancelIdle = null
  }

  #acknowledge(): void {
    this.stop()
    if (this.#consumed === this.#acknowledged) return
    this.#acknowledged = this.#consumed
    this.#send(this.#consumed)
  }
}
