/**
 * The lines of an asciicast, version 3 (https://docs.asciinema.org/manual/asciicast/v3/): a header, then events with
 * the time since the previous one. Players skip comments. Our comments say up to which offset the file has the
 * session's output.
 */
import { isUtf8 } from 'node:buffer'
import type { Size } from '@slipway/emulator'
import { ESCAPED_BYTES_MAX, writeEscaped } from './escape.ts'

export interface CastHeader extends Size {
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly title: string
}

/** `m`: a mark; `r`: a size, as `80x24`; `x`: the exit status. */
export type CastEvent = 'm' | 'r' | 'x'

export const headerLine = ({ cols, rows, timestamp, title }: CastHeader): Buffer =>
  Buffer.from(`${JSON.stringify({ version: 3, term: { cols, rows, type: 'xterm-256color' }, timestamp, title })}\n`)

/** Seconds since the previous event, from milliseconds. */
const interval = (ms: number): string => (ms / 1000).toFixed(3)

export const eventLine = (sinceMs: number, code: CastEvent, data: string): Buffer =>
  Buffer.from(`[${interval(sinceMs)},"${code}",${JSON.stringify(data)}]\n`)

/**
 * What the file has: the session's output before `offset`, and all events up to `atMs` milliseconds after the start.
 */
export interface Position {
  readonly offset: number
  readonly atMs: number
}

const POSITION = /^#@ (\d{1,16}) (\d{1,16})$/

export const positionLine = ({ offset, atMs }: Position): Buffer => Buffer.from(`#@ ${offset} ${atMs}\n`)

/** Null if the line is not a position. */
export const readPosition = (line: string): Position | null => {
  const found = POSITION.exec(line)
  return found && { offset: Number(found[1]), atMs: Number(found[2]) }
}

const LINE_END = Buffer.from('"]\n')
/** Most bytes of the interval, the code and the punctuation around them. */
const AROUND_BYTES = 64
const ROOM_MIN_BYTES = 4096

/** Lines that are written together, in memory that is reused. They are valid until the next {@link begin}. */
export class Lines {
  #room = Buffer.allocUnsafeSlow(ROOM_MIN_BYTES)
  #used = 0

  /** Drops the earlier lines. */
  begin(): this {
    this.#used = 0
    return this
  }

  get isEmpty(): boolean {
    return this.#used === 0
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#used)
  }

  add(line: Buffer): this {
    this.#reserve(line.length)
    this.#used += line.copy(this.#room, this.#used)
    return this
  }

  /**
   * Adds a line with output (`o`) or input (`i`). Bytes that are not UTF-8 become replacement characters, so the file
   * stays text.
   */
  addData(sinceMs: number, code: 'o' | 'i', data: Uint8Array): this {
    const text = isUtf8(data) ? data : Buffer.from(Buffer.from(data).toString())
    this.#reserve(AROUND_BYTES + text.length * ESCAPED_BYTES_MAX)
    this.#used += this.#room.write(`[${interval(sinceMs)},"${code}","`, this.#used, 'latin1')
    this.#used = writeEscaped(text, this.#room, this.#used)
    return this.add(LINE_END)
  }

  #reserve(length: number): void {
    if (this.#used + length <= this.#room.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#used + length))
    this.bytes.copy(larger)
    this.#room = larger
  }
}
