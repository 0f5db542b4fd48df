/**
 * Converts a recording to an asciicast of version 2 (https://docs.asciinema.org/manual/asciicast/v2/), for programs
 * that do not read version 3, such as asciinema 2. Its header has other fields, and its events have the time since the
 * start.
 */
import { Transform, type TransformCallback } from 'node:stream'

const NEWLINE = 0x0a
const COMMENT = 0x23
/** The time of an event, its code, and the rest. The data is passed on unchanged. */
const EVENT = /^\[(\d+\.\d{3}),"(.)",(.*)$/s
/** The events that version 2 has. */
const CODES = 'oirm'

interface Header {
  readonly term: { readonly cols: number; readonly rows: number; readonly type: string }
  readonly timestamp: number
  readonly title: string
}

/** Converts lines of version 3, in chunks of any size. Buffers at most one line. */
export class Version2 extends Transform {
  /** The parts of an incomplete line. */
  #parts: Buffer[] = []
  #atMs = 0
  #hasHeader = false

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0
    const lines: string[] = []
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#parts.push(chunk.subarray(from, end))
      const line = this.#line(this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts))
      if (line !== null) lines.push(`${line}\n`)
      this.#parts = []
      from = end + 1
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from))
    done(null, lines.join(''))
  }

  /** Null for lines that version 2 does not have: comments, and the exit status. */
  #line(line: Buffer): string | null {
    if (line[0] === COMMENT) return null
    const text = line.toString()
    if (!this.#hasHeader) {
      this.#hasHeader = true
      return headerOf(JSON.parse(text) as Header)
    }
    const [, since = '', code = '', rest = ''] = EVENT.exec(text) ?? []
    this.#atMs += Math.round(Number(since) * 1000)
    return code !== '' && CODES.includes(code) ? `[${(this.#atMs / 1000).toFixed(3)},"${code}",${rest}` : null
  }
}

const headerOf = ({ term, timestamp, title }: Header): string =>
  JSON.stringify({ version: 2, width: term.cols, height: term.rows, timestamp, title, env: { TERM: term.type } })
