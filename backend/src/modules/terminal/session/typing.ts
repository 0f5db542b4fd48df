/** Limits how far a client's input may run ahead of the program. */
import { MAX_INPUT_BYTES } from '@slipway/protocol'

/**
 * Bytes of input that may wait for a program that does not read: twice the input window of a client of version 2.
 * Beyond it the socket is paused. Then the client's Disconnect and its answers to pings wait, too.
 */
const WAITING_BYTES = 1_048_576
/**
 * The client is told each time that so much more input was consumed, in bytes. So a person who types by hand causes no
 * frames.
 */
const TELL_EVERY_BYTES = MAX_INPUT_BYTES

interface Parts {
  /** Tells the client how many bytes of all its input no longer wait. */
  readonly tell: (bytes: number) => void
  readonly pause: () => void
  readonly resume: () => void
}

/** The input from one socket. */
export class Typing {
  readonly #parts: Parts
  #received = 0
  #waiting = 0
  #told = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** More input has come. `isTaken`: it does not wait; this includes input that was dropped. */
  came(bytes: number, isTaken: boolean): void {
    this.#received += bytes
    if (!isTaken) this.#waiting += bytes
    if (this.#waiting > WAITING_BYTES) this.#parts.pause()
    this.#tell()
  }

  /** No input waits any more. */
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
