/** One session's emulator in the thread, with the output that waits for it. */
import { SCROLLBACK_LINES } from '@slipway/emulator'
import type { Size } from '@slipway/emulator'
import { createEmulator, type Emulator } from '@slipway/emulator/headless'
import { Pending } from '@slipway/emulator/headless'
import { canSkim } from '@slipway/emulator/headless'
import { afterTear, CANCEL, gapIn } from '@slipway/emulator/headless'
import { Unfinished } from '@slipway/emulator/headless'

/** Output of one session that may wait to be parsed, in bytes: 10,000 lines of 200 bytes, and as much again that they have made superfluous. */
const WAITING_BYTES = 4_194_304
/** The same of all sessions together. */
const ALL_WAITING_BYTES = 134_217_728
/** How often is looked whether a flood is over, in milliseconds. */
const LOOK_MS = 250
/** What came since the last look, in bytes, when it is over: so little may be parsed at once. */
const FLOOD_BYTES = 65_536
/** Of a session that has printed no more than this, in bytes, nothing is parsed before its screen is asked for: most that only wait. */
const UNPARSED_BYTES = 16_384
/** Parsed at once, in bytes: the emulator stops for nobody in between, and this takes it some milliseconds. */
const PIECE_BYTES = 131_072

let allWaiting = 0

export class SessionScreen {
  readonly #parsing: () => void
  readonly #parsed: () => void
  readonly #pending = new Pending()
  #size: Size
  /** Null before anything is parsed: it takes a quarter of a megabyte. */
  #emulator: Emulator | null = null
  #timer: NodeJS.Timeout | null = null
  #taken = 0
  #parsedTo = 0
  /** As it was at the last look. */
  #takenThen = 0
  /** Things that are to be done after what was given until then. */
  #asked = 0
  #isParsing = false
  /** Whether something is missing before what is written next. */
  #isTorn = false
  #done: Promise<void> = Promise.resolve()
  readonly #unfinished = new Unfinished()

  /** `parsing` is told before each piece and each change of its size, `parsed` after it. */
  constructor(size: Size, parsing: () => void, parsed: () => void) {
    this.#size = size
    this.#parsing = parsing
    this.#parsed = parsed
  }

  get emulator(): Emulator {
    return (this.#emulator ??= createEmulator(this.#size))
  }

  /** How much of what it was given its screen shows, in bytes. */
  get parsedTo(): number {
    return this.#parsedTo
  }

  /** What it has parsed of something that has not come whole. */
  get unfinished(): Uint8Array {
    return this.#unfinished.bytes
  }

  /** Begins with that screen. Call it before anything is written. `works` is told now and then. */
  async restore(screen: Uint8Array, works: () => void): Promise<void> {
    await this.after(() => this.#parseAll(screen, works))
  }

  /** Output is missing before what is written next. */
  async tear(): Promise<void> {
    this.#isTorn = true
    await this.after(async () => {
      await this.#parseAll(Buffer.from(CANCEL))
      await this.#parseAll(Buffer.from(gapIn(this.emulator)))
    })
  }

  /** What followed the screen of so many bytes, where that is only lines of which nothing was parsed yet; `taken`: up to where. */
  since(base: number): { taken: number; bytes: Uint8Array<ArrayBuffer> } | null {
    if (this.#parsedTo !== base || this.#asked > 0 || this.#isParsing || !this.#pending.isPlain) return null
    if (!canSkim(this.emulator)) return null
    this.#skim()
    return { taken: this.#taken, bytes: this.#pending.copy() }
  }

  /** Settles when there is room for more. */
  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    // The session's log would run away from where a screen ends that somebody is shown.
    while (this.#asked > 0) await this.#done
    this.#taken += bytes.length
    this.#change(() => this.#pending.push(this.#isTorn ? afterTear(bytes) : bytes))
    this.#isTorn = false
    this.#timer ??= this.#lookLater()
    if (this.#isParsing && this.#isFull) await this.#done
    if (this.#mayWait()) return
    // One piece waits while the one before is parsed.
    const before = this.#done
    void this.#parse()
    await before
  }

  /** Does something when everything has been parsed that was given before. No more is taken until it is done. */
  async after(work: () => void | Promise<void>): Promise<void> {
    this.#asked += 1
    await this.meanwhile(work)
    this.#asked -= 1
  }

  /** The same, except that more is taken, and waits: the screen shows what there was up to {@link parsedTo}, and stays until it is done. */
  meanwhile(work: () => void | Promise<void>): Promise<void> {
    void this.#parse()
    return (this.#done = this.#done.then(work))
  }

  /** What comes next is for a screen of that size. Settles when that is done. */
  async resize(size: Size): Promise<void> {
    if (this.#emulator === null && this.#pending.size === 0) this.#size = size
    else {
      const { terminal } = this.emulator
      await this.after(() => {
        // It may be ten times as large afterwards, and all of its lines are gone through.
        this.#parsing()
        terminal.resize(size.cols, size.rows)
        this.#parsed()
      })
    }
  }

  /** Settles when nothing of it is left. */
  async close(): Promise<void> {
    if (this.#isUnparsed) this.#dispose()
    else await this.after(() => this.#dispose())
  }

  #dispose(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#change(() => this.#pending.take())
    this.#emulator?.terminal.dispose()
  }

  get #isUnparsed(): boolean {
    return this.#emulator === null && this.#pending.size < UNPARSED_BYTES
  }

  get #isFull(): boolean {
    return this.#pending.size >= WAITING_BYTES || allWaiting >= ALL_WAITING_BYTES
  }

  /** Whether what follows may make some of it superfluous. */
  #mayWait(): boolean {
    if (this.#isUnparsed) return true
    if (!this.#pending.isPlain || (!this.#isParsing && !canSkim(this.emulator))) return false
    if (!this.#isFull) return true
    const { size } = this.#pending
    if (!this.#isParsing) this.#skim()
    return this.#pending.size < size / 2
  }

  #skim(): void {
    this.#change(() => this.#pending.skim(this.emulator, SCROLLBACK_LINES + 2 * this.emulator.terminal.rows))
  }

  #change(change: () => void): void {
    const before = this.#pending.size
    change()
    allWaiting += this.#pending.size - before
  }

  #lookLater(): NodeJS.Timeout {
    this.#takenThen = this.#taken
    return setTimeout(() => {
      this.#timer = null
      if (this.#isUnparsed) return
      if (this.#taken - this.#takenThen < FLOOD_BYTES) void this.#parse()
      else this.#timer = this.#lookLater()
    }, LOOK_MS)
  }

  /** Hands over what waits; settles when it, and all before, has been dealt with. */
  #parse(): Promise<void> {
    return (this.#done = this.#done.then(async () => {
      this.#skim()
      let bytes: Uint8Array = new Uint8Array()
      this.#change(() => (bytes = this.#pending.take()))
      this.#parsedTo = this.#taken
      this.#isParsing = true
      await this.#parseAll(bytes)
      this.#isParsing = false
    }))
  }

  async #parseAll(bytes: Uint8Array, works = (): void => undefined): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      await this.#write(bytes.subarray(at, at + PIECE_BYTES))
      works()
    }
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#parsing()
      this.emulator.terminal.write(bytes, () => {
        this.#unfinished.parsed(this.emulator, bytes)
        this.#parsed()
        resolve()
      })
    })
  }
}
