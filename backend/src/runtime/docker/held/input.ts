/**
 * Input on its way to a holder: no more of it than the program's terminal takes. What else is said, above all what was seen of the
 * output, would stand behind the rest, and a program that prints and does not read would stop for good.
 */

/** Longest input of one frame, in bytes. */
const FRAME_BYTES = 65_536
/** On the way to a holder that does not say what was taken: there the socket alone is known. */
const UNTOLD_BYTES = 65_536

/** On the way to any other, as its `TYPING_BYTES`: it may claim anything. */
const WINDOW_MAX_BYTES = 262_144

interface Parts {
  /** As the holder said it; null: it does not say what was taken. */
  readonly window: number | null
  /** On the way already, from somebody who was attached before. */
  readonly typing: number
  /** Sends a frame, and tells when the socket has passed it on. */
  readonly send: (bytes: Uint8Array, flushed: () => void) => void
}

export class HeldInput {
  readonly #parts: Parts
  readonly #window: number
  #waiting: Uint8Array[] = []
  /** Of all input that was ever on the way: what was sent, and what was taken. */
  #sent: number
  #taken = 0
  #drained: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#window = Math.min(parts.window ?? UNTOLD_BYTES, WINDOW_MAX_BYTES)
    this.#sent = parts.typing
  }

  onDrain(listener: () => void): void {
    this.#drained = listener
  }

  /** False: some of it waits, until {@link onDrain}. Its memory is taken. */
  push(data: Uint8Array): boolean {
    this.#waiting.push(data)
    this.#send()
    return this.#waiting.length === 0
  }

  /** The holder says so; it may say anything. */
  took(bytes: number): void {
    this.#taken = Math.max(this.#taken, Math.min(bytes, this.#sent))
    if (this.#waiting.length === 0) return
    this.#send()
    if (this.#waiting.length === 0) this.#drained()
  }

  #send(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const room = this.#window - (this.#sent - this.#taken)
      if (room <= 0) return
      const piece = next.subarray(0, Math.min(room, FRAME_BYTES))
      if (piece.length === next.length) this.#waiting.shift()
      else this.#waiting[0] = next.subarray(piece.length)
      this.#sent += piece.length
      const sent = this.#sent
      this.#parts.send(piece, () => this.#parts.window === null && this.took(sent))
    }
  }
}
