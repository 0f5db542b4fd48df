/** The end of a terminal's output, addressed by absolute offsets. A viewer can say "I have everything up to N". */

/** Most output kept of one session, in bytes; the oldest is dropped first. */
export const LOG_BYTES = 1_048_576
/**
 * Largest size of a block, in bytes. Blocks grow to it, so an idle session stays small and a busy one does not
 * fragment.
 */
const BLOCK_BYTES = 65_536
const FIRST_BLOCK_BYTES = 2_048

interface Block {
  readonly bytes: Uint8Array
  used: number
}

export class OutputLog {
  readonly #limit: number
  readonly #blocks: Block[] = []
  /** A trimmed block to fill again, so that a flood of output allocates nothing. */
  #spare: Uint8Array | null = null
  #start: number
  #end: number

  /** `from` is the offset of the first byte that will be appended. */
  constructor(limit = LOG_BYTES, from = 0) {
    this.#limit = limit
    this.#start = from
    this.#end = from
  }

  /** Offset of the oldest byte in the log. */
  get start(): number {
    return this.#start
  }

  /** Offset of the next byte. */
  get end(): number {
    return this.#end
  }

  append(chunk: Uint8Array): void {
    let rest = chunk
    while (rest.length > 0) {
      let block = this.#blocks.at(-1)
      if (!block || block.used === block.bytes.length) {
        block = { bytes: this.#newBytes(block ? BLOCK_BYTES : FIRST_BLOCK_BYTES), used: 0 }
        this.#blocks.push(block)
      }
      const piece = rest.subarray(0, block.bytes.length - block.used)
      block.bytes.set(piece, block.used)
      block.used += piece.length
      this.#end += piece.length
      rest = rest.subarray(piece.length)
    }
    this.#trim()
  }

  /** A copy of at most `limit` bytes from `offset` on; null if the log has dropped that offset or not reached it. */
  since(offset: number, limit = Infinity): Uint8Array<ArrayBuffer> | null {
    if (offset < this.#start || offset > this.#end) return null
    const result = new Uint8Array(Math.min(this.#end - offset, limit))
    let at = this.#start
    for (const { bytes, used } of this.#blocks) {
      const from = Math.max(0, offset - at)
      const into = at + from - offset
      if (into >= result.length) break
      if (from < used) result.set(bytes.subarray(from, Math.min(used, from + result.length - into)), into)
      at += used
    }
    return result
  }

  #newBytes(size: number): Uint8Array {
    const spare = this.#spare
    if (spare?.length !== size) return new Uint8Array(size)
    this.#spare = null
    return spare
  }

  /** Drops whole blocks, so that trimming costs nothing per byte. */
  #trim(): void {
    while (this.#blocks.length > 1) {
      const [oldest] = this.#blocks
      if (!oldest || this.#end - this.#start - oldest.used < this.#limit) return
      this.#blocks.shift()
      if (oldest.bytes.length === BLOCK_BYTES) this.#spare = oldest.bytes
      this.#start += oldest.used
    }
  }
}
