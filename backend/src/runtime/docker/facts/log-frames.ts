/** Docker's log stream as lines: each piece has an 8-byte header (stream, length), then its time, then its text. */
import { LOG_LINE_BYTES, type LogLine } from '../../port.ts'

const HEADER_BYTES = 8
const STDERR = 2
/** Longer than any timestamp of Docker's with the space after it. */
const TIME_BYTES = 64
/** More of one piece than this is dropped: its line is cut all the same. */
const FRAME_BYTES = TIME_BYTES + LOG_LINE_BYTES

const EMPTY = Buffer.alloc(0)

/** Takes the stream in whatever chunks it comes. Holds one unfinished piece at most, of a bounded size. */
export class LogFrames {
  /** The unfinished header, or the part of the unfinished piece that is kept. */
  #held: Buffer = EMPTY
  #stream = 0
  /** Bytes of the present piece that are still to come; null before its header is complete. */
  #missing: number | null = null

  /** The lines that this chunk completes. */
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
    // What is held may be a view of a chunk of any size.
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
