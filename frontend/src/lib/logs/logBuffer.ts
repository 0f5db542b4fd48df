import type { LogEntry } from '@slipway/protocol'
import { piecesOf, type Piece } from './logText.ts'

/** Lines that a page keeps; the oldest go. */
export const LOG_LINES = 5_000
/** Lines of one block: what is drawn again when a line comes is one block. */
export const BLOCK_LINES = 100

export interface LogLine extends LogEntry {
  /** Counts from the first line that came. */
  number: number
  pieces: Piece[]
  /** As it is read and searched. */
  plain: string
}

export interface LogBlock {
  id: number
  lines: readonly LogLine[]
}

const keyOf = ({ at, source, text }: LogEntry): string => `${at} ${source} ${text}`

/** The newest lines of a log, in blocks that are replaced and never changed. */
export class LogBuffer {
  #blocks: LogBlock[] = []
  #next = 0

  get blocks(): readonly LogBlock[] {
    return this.#blocks
  }

  get lines(): LogLine[] {
    return this.#blocks.flatMap((block) => block.lines)
  }

  /** Lines that came so far, those that are gone too. */
  get total(): number {
    return this.#next
  }

  /** `at` of the newest line; null before there is one. */
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

  /** Those that are not among the lines already: after a lost connection the last seconds come once more. */
  unknown(entries: readonly LogEntry[]): LogEntry[] {
    const known = new Set(this.lines.map(keyOf))
    return entries.filter((entry) => !known.has(keyOf(entry)))
  }
}
