/**
 * The kernel's log, if the engine runs on this machine and the log is readable. It names the container of each memory
 * kill, even if the kill ended the container, whose counters are gone then. Some engines do not report such kills.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { containerOfKill } from './memory-kills.ts'

const PATH = '/dev/kmsg'
/** Longest record, in bytes. The kernel cuts records at 8 KiB, and each read returns one. */
const RECORD_BYTES = 8192
/** Most records in one go: far more than the kernel keeps by default (128 KiB to 1 MiB). */
const MAX_RECORDS = 50_000
/**
 * Time between two reads, in milliseconds. The time of a kill is as exact as this. On a quiet log, a read is one system
 * call.
 */
const LOOK_EVERY_MS = 5_000
/** How many containers are remembered with their last kill. The oldest is forgotten first. */
const MAX_CONTAINERS = 1_000

/** How long before a container's end a kill counts as its cause, in milliseconds. */
const WINDOW_MS = 10_000

/** Reads one record of an open log, and returns its length. Throws like `readSync`. */
type ReadRecord = (buffer: Buffer) => number

/** The clocks to which the log's times are compared, in milliseconds: since 1970, and since the machine's start. */
export interface LogClocks {
  readonly now: () => number
  readonly sinceStart: () => number
}
const CLOCKS: LogClocks = { now: Date.now, sinceStart: () => Number(process.hrtime.bigint() / 1_000_000n) }

/** Remembers the last memory kill of each container. Times are in milliseconds since 1970. */
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
    // Older records have times of the kernel's own clock, which drifts over weeks. There is nothing better.
    const { now, sinceStart } = clocks
    this.#drain((micros) => now() - sinceStart() + micros / 1000)
    this.#timer = setInterval(() => this.#drain(now), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** Null if there is no such log, as in a container, or it is not readable. */
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

  /** Whether a memory kill caused the end of a container. `endedAt` is in milliseconds since 1970. */
  explains(containerId: string, endedAt: number): boolean {
    this.#drain(this.#clocks.now)
    const at = this.#killedAt.get(containerId)
    return at !== undefined && at >= endedAt - WINDOW_MS && at <= endedAt + LOOK_EVERY_MS
  }

  /** A container starts. Kills before that do not explain its next end. */
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

  /** Reads the new records; `timeOf` converts their time, in microseconds since the machine's start. */
  #drain(timeOf: (micros: number) => number): void {
    for (let records = 0; records < MAX_RECORDS; records++) {
      let length: number
      try {
        length = this.#read(this.#buffer)
      } catch (error) {
        // EPIPE: records were overwritten before they were read, and the next read continues after them. EAGAIN: there
        // are no more.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') continue
        return
      }
      if (length === 0) return
      this.#note(this.#buffer.toString('latin1', 0, length), timeOf)
    }
  }

  /** A record is "priority,sequence,time,flags;message", and then lines with details. */
  #note(record: string, timeOf: (micros: number) => number): void {
    const container = containerOfKill(record.slice(record.indexOf(';') + 1))
    if (container === null) return
    this.#killedAt.delete(container)
    this.#killedAt.set(container, timeOf(Number(record.split(',', 3)[2])))
    const [oldest] = this.#killedAt.keys()
    if (this.#killedAt.size > MAX_CONTAINERS && oldest !== undefined) this.#killedAt.delete(oldest)
  }
}
