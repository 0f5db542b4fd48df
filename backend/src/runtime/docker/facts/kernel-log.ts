/**
 * The kernel's log, where the engine runs on this machine and the log may be read: it names the container of every memory
 * kill, also of one that took the container itself and its counters with it. Some engines do not tell of those.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { containerOfKill } from './memory-kills.ts'

const PATH = '/dev/kmsg'
/** One read is one record; the kernel cuts them at 8 KiB. */
const RECORD_BYTES = 8192
/** Most records read in one go: far above what the kernel keeps by default (128 KiB to 1 MiB). */
const MAX_RECORDS = 50_000
/** Between two looks, in milliseconds: as exact as a kill's time is. One look at a quiet log is one system call. */
const LOOK_EVERY_MS = 5_000
/** Containers whose last kill is remembered; the oldest is forgotten first. */
const MAX_CONTAINERS = 1_000

/** How long before a container's end a kill in it counts as the cause, in milliseconds. */
const WINDOW_MS = 10_000

/** Reads one record from a log that was opened, and answers its length. Throws as `readSync` does. */
type ReadRecord = (buffer: Buffer) => number

/** The clocks that the log's times are compared with, in milliseconds: since 1970, and since the machine's start. */
export interface LogClocks {
  readonly now: () => number
  readonly sinceStart: () => number
}
const CLOCKS: LogClocks = { now: Date.now, sinceStart: () => Number(process.hrtime.bigint() / 1_000_000n) }

/** Remembers when the kernel last killed a process of which container. Times are in milliseconds since 1970. */
export class KernelLog {
  #read: ReadRecord
  #close: () => void
  readonly #clocks: LogClocks
  readonly #buffer = Buffer.alloc(RECORD_BYTES)
  readonly #killedAt = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(read: ReadRecord, close: () => void, clocks = CLOCKS) {
    this.#read = read
    this.#close = close
    this.#clocks = clocks
    // What was written before has times by the kernel's own clock, which drifts from ours over weeks: the best there is.
    const { now, sinceStart } = clocks
    this.#drain((micros) => now() - sinceStart() + micros / 1000)
    this.#timer = setInterval(() => this.#drain(now), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** Null where there is no such log, as in a container, or it is not for us. */
  static open(): KernelLog | null {
    try {
      const file = openSync(PATH, constants.O_RDONLY | constants.O_NONBLOCK)
      return new KernelLog(
        (buffer) => readSync(file, buffer),
        () => closeSync(file),
      )
    } catch {
      return null
    }
  }

  /** Whether the end of a container, in milliseconds since 1970, goes with a memory kill in it. */
  explains(containerId: string, endedAt: number): boolean {
    this.#drain(this.#clocks.now)
    const at = this.#killedAt.get(containerId)
    return at !== undefined && at >= endedAt - WINDOW_MS && at <= endedAt + LOOK_EVERY_MS
  }

  /** A container starts: what killed something in its earlier life does not explain the end of this one. */
  started(containerId: string): void {
    this.#drain(this.#clocks.now)
    this.#killedAt.delete(containerId)
  }

  /** May be called again. */
  close(): void {
    clearInterval(this.#timer)
    const close = this.#close
    this.#read = () => 0
    this.#close = () => undefined
    close()
  }

  /** Reads what is new; `timeOf` tells when something happened from what the record says, in microseconds since the start. */
  #drain(timeOf: (micros: number) => number): void {
    for (let records = 0; records < MAX_RECORDS; records++) {
      let length: number
      try {
        length = this.#read(this.#buffer)
      } catch (error) {
        // Records were overwritten before they were read (EPIPE): the next read goes on behind them. EAGAIN: no more.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') continue
        return
      }
      if (length === 0) return
      this.#note(this.#buffer.toString('latin1', 0, length), timeOf)
    }
  }

  /** A record is "priority,sequence,time,flags;message", then lines with more. */
  #note(record: string, timeOf: (micros: number) => number): void {
    const container = containerOfKill(record.slice(record.indexOf(';') + 1))
    if (container === null) return
    this.#killedAt.delete(container)
    this.#killedAt.set(container, timeOf(Number(record.split(',', 3)[2])))
    const [oldest] = this.#killedAt.keys()
    if (this.#killedAt.size > MAX_CONTAINERS && oldest !== undefined) this.#killedAt.delete(oldest)
  }
}
