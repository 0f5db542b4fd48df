/** How far what somebody types may run ahead of the program. */
import { MAX_INPUT_BYTES } from '@slipway/protocol'

/**
 * Input that may wait for a program that does not read: twice what a client of version 2 keeps on its way. Beyond it the socket is
 * paused, and then what else comes over it waits, too: the client's Disconnect, and its answers to pings.
 */
const WAITING_BYTES = 1_048_576
/** What was taken is told each time that it has become so much more, in bytes: nobody who types by hand is told anything. */
const TELL_EVERY_BYTES = MAX_INPUT_BYTES

interface Parts {
  /** So many bytes of all input have been taken. */
  readonly tell: (bytes: number) => void
  readonly pause: () => void
  readonly resume: () => void
}

/** The input that came over one socket. */
export class Typing {
  readonly #parts: Parts
  #received = 0
  #waiting = 0
  #told = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** More has come. `isTaken`: nothing waits; also of what is dropped. */
  came(bytes: number, isTaken: boolean): void {
    this.#received += bytes
    if (!isTaken) this.#waiting += bytes
    if (this.#waiting > WAITING_BYTES) this.#parts.pause()
    this.#tell()
  }

  /** Nothing waits any more. */
  drained(): void {
    this.#waiting = 0
    this.#parts.resume()
    this.#tell()
  }

  #tell(): void {
    const taken = this.#received - this.#waiting
    if (taken - this.#told < TELL_EVERY_BYTES) return
    this.#told = taken
    this.#parts.tell(taken)
  }
}
