/** Follows the output of a terminal: masks it, hands it to those who follow the run, and keeps its end on the disk. */
import { type Clock, SECOND_MS } from '../../../lib/time/clock.ts'
import type { TaskTerminal, TerminalFollower } from '../../sessions/task-terminals.ts'
import type { LiveRun } from '../conduct/follow.ts'
import type { Masking } from '../output/masking.ts'
import type { Entry } from '../transcript/entry.ts'

/** How long output is gathered before it is handed on, in milliseconds. A program draws a frame in many writes. */
const GATHER_MS = 50
/** Output that is handed on at once, in UTF-16 code units. */
const GATHERED_MAX = 65_536
/** Time between two writes to the disk, in milliseconds. */
const STORE_EVERY_MS = SECOND_MS
/** Longest beginning of a UTF-8 sequence, in bytes. */
const BEGUN_MAX = 3

interface Parts {
  readonly terminal: Pick<TaskTerminal, 'start' | 'offset' | 'read' | 'follow' | 'consumed'>
  /** The offset up to which an earlier backend has stored its output. */
  readonly from: number
  readonly live: LiveRun
  readonly masking: Masking
  readonly clock: Clock
  /** Stores the end of the output. */
  readonly store: (entry: Entry) => Promise<void>
  readonly onFailure: (error: unknown) => void
}

export class TerminalTail implements TerminalFollower {
  /** It takes all output at once. */
  readonly backlog = 0
  readonly #parts: Parts
  /** Offset of the next byte. */
  #at: number
  /** Offset up to which the output was handed on. */
  #passedTo: number
  #keptTo: number
  /** The beginning of a character. */
  #begun = Buffer.alloc(0)
  /** Output that was not handed on yet. */
  #gathered = ''
  #gathering: NodeJS.Timeout | null = null
  #storing: NodeJS.Timeout | null = null
  /** Settles when nothing is being stored. */
  #stored: Promise<void> = Promise.resolve()
  #isOver = false

  constructor(parts: Parts) {
    this.#parts = parts
    const { terminal, from } = parts
    this.#at = this.#passedTo = this.#keptTo = Math.max(from, terminal.start)
    if (terminal.offset > this.#at) this.output(terminal.read(this.#at), this.#at)
    terminal.follow(this)
  }

  /** What is stored here is not kept in the container. */
  get keptTo(): number {
    return this.#keptTo
  }

  output(chunk: Uint8Array, offset: number): void {
    const known = Math.max(0, this.#at - offset)
    if (this.#isOver || known >= chunk.length) return
    this.#at = offset + chunk.length
    const bytes = Buffer.concat([this.#begun, chunk.subarray(known)])
    const whole = bytes.length - begunAtEnd(bytes)
    this.#begun = bytes.subarray(whole)
    this.#gathered += bytes.toString('utf8', 0, whole)
    if (this.#gathered.length >= GATHERED_MAX) this.#pass()
    else this.#gathering ??= setTimeout(() => this.#pass(), GATHER_MS).unref()
  }

  ended(): void {
    // The run says how it goes on.
  }

  failed(): void {
    this.#keptTo = Infinity
  }

  /** The output is complete. Resolves when it is stored, or when the disk has refused it. */
  async finish(): Promise<void> {
    this.#gathered += this.#begun.toString('utf8')
    this.#begun = Buffer.alloc(0)
    this.#pass(true)
    await this.#stop()
  }

  /** This backend leaves the terminal. Later output stays in the container. Resolves like {@link finish}. */
  async leave(): Promise<void> {
    this.#pass()
    await this.#stop()
  }

  async #stop(): Promise<void> {
    this.#isOver = true
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#store()
    await this.#stored
  }

  /** Hands the gathered output on, except what may begin a secret, which waits for more. */
  #pass(isLast = false): void {
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#gathering = null
    const { live, masking, clock } = this.#parts
    const until = isLast ? this.#gathered.length : masking.search.begun(this.#gathered)
    const raw = masking.mask(this.#gathered.slice(0, until))
    this.#gathered = this.#gathered.slice(until)
    // A byte that is not UTF-8 counts as the three of U+FFFD, so it may repeat or leave out some bytes after a takeover.
    const passed = this.#at - this.#begun.length - Buffer.byteLength(this.#gathered)
    this.#passedTo = Math.max(this.#passedTo, passed)
    if (raw === '') return
    live.stored([this.#entry(raw, clock.now())])
    this.#storing ??= setTimeout(() => this.#store(), STORE_EVERY_MS).unref()
  }

  #store(): void {
    if (this.#storing) clearTimeout(this.#storing)
    this.#storing = null
    const { live, clock, store, terminal, onFailure } = this.#parts
    this.#stored = this.#stored.then(async () => {
      const to = this.#passedTo
      // Without its place on the disk it is in memory only: the program must not wait for a disk that refuses.
      await store(this.#entry(live.output, clock.now())).catch(onFailure)
      this.#keptTo = Math.max(this.#keptTo, to)
      if (!this.#isOver) terminal.consumed()
    })
  }

  #entry(raw: string, at: number): Entry {
    const offsets = { stdout: this.#passedTo, stderr: 0 }
    return { at, raw, isCut: false, isPart: true, from: 'stdout', offsets, events: [] }
  }
}

/** How many bytes at the end begin a character that is not complete. */
const begunAtEnd = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(BEGUN_MAX, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}
