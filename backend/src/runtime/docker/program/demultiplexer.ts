/** Splits Docker's stream into the two outputs of a program without a terminal. */
import type { OutputName } from '../../program.ts'

/** Header of each piece: one byte for the output, three zeros, and four for the length. */
const HEADER_BYTES = 8
const STDERR = 2

/** Passes on every byte at once. Holds only an incomplete header. */
export class Demultiplexer {
  readonly #listener: (from: OutputName, chunk: Uint8Array) => void
  #header: Buffer = Buffer.alloc(0)
  #from: OutputName = 'stdout'
  /** Bytes of the current piece that are still to come. */
  #left = 0

  constructor(listener: (from: OutputName, chunk: Uint8Array) => void) {
    this.#listener = listener
  }

  take(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left === 0) {
        const missing = HEADER_BYTES - this.#header.length
        this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (this.#header.length < HEADER_BYTES) return
        this.#from = this.#header[0] === STDERR ? 'stderr' : 'stdout'
        this.#left = this.#header.readUInt32BE(4)
        this.#header = Buffer.alloc(0)
        continue
      }
      const piece = rest.subarray(0, this.#left)
      this.#left -= piece.length
      rest = rest.subarray(piece.length)
      this.#listener(this.#from, piece)
    }
  }
}
