/** Limits the memory for the lines of all mirrors together. */
import type { Terminal } from '@xterm/headless'

/** Most memory for the lines of all sessions, in bytes: about 25 sessions with full scrollback. */
export const LINES_BYTES = 268_435_456
/** Memory of xterm.js 5.5 for one column, in bytes: three numbers of 32 bits. */
const CELL_BYTES = 12
/** Memory for the objects of one line, in bytes. */
const LINE_BYTES = 200

interface Kept {
  readonly terminal: Terminal
  bytes: number
}

export class Scrollback {
  readonly #lines: number
  readonly #limit: number
  /** Longest idle first. */
  readonly #kept = new Map<number, Kept>()
  #total = 0

  constructor(lines: number, limit = LINES_BYTES) {
    this.#lines = lines
    this.#limit = limit
  }

  /**
   * The terminal was written to. If all together take too much, the oldest lines of the longest idle ones are evicted.
   */
  used(key: number, terminal: Terminal): void {
    this.gone(key)
    const bytes = bytesOf(terminal)
    this.#kept.set(key, { terminal, bytes })
    this.#total += bytes
    if (this.#total > this.#limit) this.#trim()
    // A terminal whose lines were evicted while it was idle may have all its lines again.
    else if (terminal.options.scrollback !== this.#lines) terminal.options.scrollback = this.#lines
  }

  gone(key: number): void {
    this.#total -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }

  #trim(): void {
    for (const kept of this.#kept.values()) {
      while (this.#total > this.#limit && kept.terminal.buffer.normal.length > kept.terminal.rows) {
        const above = kept.terminal.buffer.normal.length - kept.terminal.rows
        kept.terminal.options.scrollback = above >> 1
        const bytes = bytesOf(kept.terminal)
        this.#total += bytes - kept.bytes
        kept.bytes = bytes
      }
      if (this.#total <= this.#limit) return
    }
  }
}

const bytesOf = ({ buffer, cols }: Terminal): number =>
  (buffer.normal.length + buffer.alternate.length) * (cols * CELL_BYTES + LINE_BYTES)
