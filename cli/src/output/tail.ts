/** The end of an output, cut as the server cuts it. */
import type { EXEC_OUTPUT_BYTES } from '@slipway/protocol'

/** Longest end that is kept, in bytes of UTF-8. */
export const TAIL_BYTES = 1_048_576 satisfies typeof EXEC_OUTPUT_BYTES

export class OutputTail {
  #text = ''
  #bytes = 0

  append(text: string): void {
    this.#bytes += Buffer.byteLength(text)
    this.#text += text
    // A code unit has a byte at least. The first one may be half of a character, which is cut off later.
    if (this.#text.length > 2 * TAIL_BYTES) this.#text = this.#text.slice(-TAIL_BYTES - 1)
  }

  get isTruncated(): boolean {
    return this.#bytes > TAIL_BYTES
  }

  /** Begins with a whole character. */
  get text(): string {
    if (!this.isTruncated) return this.#text
    const bytes = Buffer.from(this.#text).subarray(-TAIL_BYTES)
    return bytes.subarray(bytes.findIndex(isFirst)).toString()
  }
}

/** Whether a byte is the first of a character. */
const isFirst = (byte: number): boolean => (byte & 0xc0) !== 0x80
