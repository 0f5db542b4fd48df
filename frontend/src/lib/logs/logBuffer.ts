import type { LogEntry } from '@slipway/protocol'
import { piecesOf, type Piece } from './logText.ts'

/** Most lines that a page keeps. It drops the oldest. */
export const LOG_LINES = 5_000
/** Lines in one block. A new line redraws only its block. */
export const BLOCK_LINES = 100

export interface LogLine extends LogEntry {
  /** Counts from the first line received. */
  number: number
  pieces: Piece[]
  /** The text to show and to search. */
  plain: string
}

export interface LogBlock {
  id: number
  lines: readonly LogLine[]
}

const keyOf = ({ at, source, text }: LogEntry): string => `${at} ${source} ${text}`

/** The newest lines of a log. Blocks are replaced, never changed. */
export class LogBuffer {
  #blocks: LogBlock[] = []
  #next = 0

  get blocks(): readonly LogBlock[] {
    return this.#blocks
  }

  get lines(): LogLine[] {
    return this.#blocks.flatMap((block) => block.lines)
  }

  /** All lines received so far, including dropped ones. */
  get total(): number {
    return this.#next
  }

  /** `at` of the newest line; null while there is none. */
  get newest(): string | null {
    return this.#blocks.at(-1)?.lines.at(-1)?.at ?? null
  }

  add(entries: readonly LogEntry[]): void {
    const blocks = [...this.#blocks]
    for (const entry of entries) {
      const pieces = piecesOf(entry.text)
      const plain = pieces.map((piece) => piece.text).join('')
      const line: LogLine = { ...entry, number: this.#next, pieces, plain }
      const last = blocks.at(-1)
      if (last === undefined || last.lines.length >= BLOCK_LINES) blocks.push({ id: this.#next, lines: [line] })
      else blocks[blocks.length - 1] = { id: last.id, lines: [...last.lines, line] }
      this.#next += 1
    }
    this.#blocks = blocks.slice(-Math.ceil(LOG_LINES / BLOCK_LINES))
  }

  /** The entries that are not in the buffer yet. After a reconnect the server sends the last seconds again. */
  unknown(entries: readonly LogEntry[]): LogEntry[] {
    const known = new Set(this.lines.map(keyOf))
    return entries.filter((entry) => !known.has(keyOf(entry)))
  }
}
