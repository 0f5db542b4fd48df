import { ACK_EVERY_BYTES } from '@slipway/protocol'
import type { Schedule } from '@/lib/timing/schedule.ts'

/**
 * How long the parser is idle before the rest is acknowledged, in milliseconds. This saves a frame for each echoed key.
 */
export const IDLE_ACK_MS = 100

/**
 * Counts the bytes that the parser has consumed and acknowledges them to the server. If too many are unacknowledged,
 * the server stops reading from the program. Offsets are absolute: `auth_success` gives the offset of the first byte
 * after it.
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

  /** Call it from the parser's callback, in the order of the bytes. */
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
