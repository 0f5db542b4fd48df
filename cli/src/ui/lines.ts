/** Lines of text out of bytes, and values as lines. */
import { StringDecoder } from 'node:string_decoder'

/** Longest line that is kept by default, in UTF-16 code units. */
const LINE_MAX = 16 * 1024 * 1024

/** Puts lines together from pieces. A line that is too long is left out as a whole. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #max: number
  #rest = ''
  #isTooLong = false

  constructor(max = LINE_MAX) {
    this.#max = max
  }

  /** The lines that end in this piece, without their line feeds. Empty ones are left out. */
  push(piece: Uint8Array | string): string[] {
    const text = typeof piece === 'string' ? piece : this.#decoder.write(piece)
    const parts = text.split('\n')
    const last = parts.pop() ?? ''
    const lines: string[] = []
    for (const part of parts) {
      const line = this.#rest + part
      const isKept = !this.#isTooLong && line.length <= this.#max
      this.#rest = ''
      this.#isTooLong = false
      if (isKept && line.trim() !== '') lines.push(line)
    }
    this.#rest += last
    if (this.#rest.length > this.#max) {
      this.#rest = ''
      this.#isTooLong = true
    }
    return lines
  }
}

/** Characters that JSON leaves as they are and a terminal may obey: DEL, C1 controls, and marks of direction. */
const UNESCAPED = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON in one line, without a character that a terminal obeys. The value is the same when it is parsed. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(UNESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The object in a line of JSON; null for anything else. */
export const objectIn = (line: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
