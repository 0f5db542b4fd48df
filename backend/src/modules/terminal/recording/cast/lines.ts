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

/**
 * A line with what was printed (`o`) or typed (`i`). Each byte is taken for a character and written back as that byte: JSON leaves
 * all of those alone that UTF-8 needs, and nothing is decoded, which is twice as fast.
 */
export const dataLine = (sinceMs: number, code: 'o' | 'i', data: Uint8Array): Buffer => {
  // Bytes that are no text are shown as such, and the file stays one.
  const bytes = isUtf8(data) ? asBuffer(data) : Buffer.from(asBuffer(data).toString())
  return Buffer.from(`[${interval(sinceMs)},"${code}",${JSON.stringify(bytes.toString('latin1'))}]\n`, 'latin1')
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)
