/**
 * The lines of an asciicast, version 3 (https://docs.asciinema.org/manual/asciicast/v3/): a header, and events with the time
 * since the one before. Players skip comments; ours say up to where of the session's output the file goes.
 */
import { isUtf8 } from 'node:buffer'
import type { Size } from '../../session.ts'

export interface CastHeader extends Size {
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly title: string
}

/** `m`: a mark; `r`: a size, as `80x24`; `x`: the exit status. */
export type CastEvent = 'm' | 'r' | 'x'

export const headerLine = ({ cols, rows, timestamp, title }: CastHeader): Buffer =>
  Buffer.from(`${JSON.stringify({ version: 3, term: { cols, rows, type: 'xterm-256color' }, timestamp, title })}\n`)

/** Milliseconds since the event before, as seconds. */
const interval = (ms: number): string => (ms / 1000).toFixed(3)

export const eventLine = (sinceMs: number, code: CastEvent, data: string): Buffer =>
  Buffer.from(`[${interval(sinceMs)},"${code}",${JSON.stringify(data)}]\n`)

/** What is in the file: the session's output before `offset`, and everything until so many milliseconds after the start. */
export interface Position {
  readonly offset: number
  readonly atMs: number
}

const POSITION = /^#@ (\d{1,16}) (\d{1,16})$/

export const positionLine = ({ offset, atMs }: Position): Buffer => Buffer.from(`#@ ${offset} ${atMs}\n`)

/** Null for any other line. */
export const readPosition = (line: string): Position | null => {
  const found = POSITION.exec(line)
  return found && { offset: Number(found[1]), atMs: Number(found[2]) }
}

/** The second character of what stands for a byte inside of a JSON text: 0 for itself, `u` for its number. */
const ESCAPES = new Uint8Array(256)
for (let byte = 0; byte < 0x20; byte += 1) ESCAPES[byte] = 0x75
for (const [character, letter] of Object.entries({ '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r' }))
  ESCAPES[character.charCodeAt(0)] = letter.charCodeAt(0)
for (const character of '"\\') ESCAPES[character.charCodeAt(0)] = character.charCodeAt(0)
const HEX = Buffer.from('0123456789abcdef')
/** A byte becomes `\u001b` at most. */
const GROWTH = 6

/**
 * A line with what was printed (`o`) or typed (`i`). Written byte by byte: a text that is decoded, printed as JSON and encoded
 * again takes three times as long.
 */
export const dataLine = (sinceMs: number, code: 'o' | 'i', data: Uint8Array): Buffer => {
  // Bytes that are no text are shown as such, and the file stays one.
  const bytes = isUtf8(data) ? data : Buffer.from(Buffer.from(data).toString())
  const line = scratchOf(bytes.length * GROWTH + 64)
  let end = line.write(`[${interval(sinceMs)},"${code}","`, 'latin1')
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    const escape = ESCAPES[byte] ?? 0
    if (escape === 0) {
      line[end++] = byte
      continue
    }
    line[end++] = 0x5c
    line[end++] = escape
    if (escape !== 0x75) continue
    line[end++] = 0x30
    line[end++] = 0x30
    line[end++] = HEX[byte >> 4] ?? 0
    line[end++] = HEX[byte & 15] ?? 0
  }
  end += line.write('"]\n', end, 'latin1')
  return Buffer.from(line.subarray(0, end))
}

/** Where a line is put together: one place for all, since there is one writer, and as large as the longest line was. */
let scratch = Buffer.allocUnsafeSlow(0)
const scratchOf = (length: number): Buffer => {
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length)
  return scratch
}
