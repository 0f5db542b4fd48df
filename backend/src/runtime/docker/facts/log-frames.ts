/** Splits Docker's log stream into lines. Each piece has a header of 8 bytes (stream, length), a time and the text. */
import { LOG_LINE_BYTES, type LogLine } from '../../port.ts'

const HEADER_BYTES = 8
const STDERR = 2
/** Longest timestamp of Docker with the space after it, in bytes. */
const TIME_BYTES = 64
/** Longest part of a piece that is kept, in bytes. Its line is cut anyway. */
const FRAME_BYTES = TIME_BYTES + LOG_LINE_BYTES

const EMPTY = Buffer.alloc(0)

/** Parses the stream in chunks of any size. Holds at most one incomplete piece, of bounded size. */
export class LogFrames {
  /** An incomplete header, or the kept part of an incomplete piece. */
  #held: Buffer = EMPTY
  #stream = 0
  /** Bytes of the current piece that are still to come; null: its header is incomplete. */
  #missing: number | null = null

  /** Returns the lines that this chunk completes. */
  push(chunk: Buffer): LogLine[] {
    const lines: LogLine[] = []
    let at = 0
    while (at < chunk.length) {
      if (this.#missing === null) {
        const wanted = chunk.subarray(at, at + HEADER_BYTES - this.#held.length)
        at += wanted.length
        this.#held = Buffer.concat([this.#held, wanted])
        if (this.#held.length < HEADER_BYTES) break
        this.#stream = this.#held[0] ?? 0
        this.#missing = this.#held.readUInt32BE(4)
        this.#held = EMPTY
      }
      const piece = chunk.subarray(at, at + this.#missing)
      at += piece.length
      this.#missing -= piece.length
      const kept = piece.subarray(0, FRAME_BYTES - this.#held.length)
      this.#held = this.#held.length === 0 ? kept : Buffer.concat([this.#held, kept])
      if (this.#missing > 0) continue
      lines.push(toLine(this.#stream, this.#held))
      this.#held = EMPTY
      this.#missing = null
    }
    // Copied, because it may be a view of a large chunk.
    this.#held = Buffer.from(this.#held)
    return lines
  }
}

const toLine = (stream: number, piece: Buffer): LogLine => {
  const space = piece.subarray(0, TIME_BYTES).indexOf(0x20)
  const text = piece.subarray(space + 1, space + 1 + LOG_LINE_BYTES).toString('utf8')
  return {
    at: piece.subarray(0, Math.max(0, space)).toString('latin1'),
    stream: stream === STDERR ? 'stderr' : 'stdout',
    text: text.replace(/\r?\n$/, ''),
  }
}
