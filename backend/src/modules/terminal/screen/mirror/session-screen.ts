/** The emulator of one session in the thread, and the output that waits for it. */
import { SCROLLBACK_LINES } from '@slipway/emulator'
import type { Size } from '@slipway/emulator'
import { createEmulator, type Emulator } from '@slipway/emulator/headless'
import { Pending } from '@slipway/emulator/headless'
import { canSkim } from '@slipway/emulator/headless'
import { afterTear, CANCEL, gapIn } from '@slipway/emulator/headless'
import { Unfinished } from '@slipway/emulator/headless'

/**
 * Most output of one session that may wait to be parsed, in bytes: 10,000 lines of 200 bytes, and as much again that
 * these scroll away.
 */
const WAITING_BYTES = 4_194_304
/** Most output of all sessions that may wait to be parsed, in bytes. */
const ALL_WAITING_BYTES = 134_217_728
/** How often to check whether a flood is over, in milliseconds. */
const LOOK_MS = 250
/**
 * If less than this has come since the last check, the flood is over, in bytes. It is little enough to parse at once.
 */
const FLOOD_BYTES = 65_536
/**
 * If a session has printed less than this, nothing is parsed until its screen is requested, in bytes. Most idle
 * sessions are like that.
 */
const UNPARSED_BYTES = 16_384
/**
 * Most output that is parsed at once, in bytes. The emulator cannot be interrupted in it, which takes some
 * milliseconds.
 */
const PIECE_BYTES = 131_072

let allWaiting = 0

export class SessionScreen {
  readonly #parsing: () => void
  readonly #parsed: () => void
  readonly #pending = new Pending()
  #size: Size
  /** Null until something is parsed, because an emulator takes a quarter of a megabyte. */
  #emulator: Emulator | null = null
  #timer: NodeJS.Timeout | null = null
  #taken = 0
  #parsedTo = 0
  /** Value of {@link #taken} at the last check. */
  #takenThen = 0
  /** Number of pending calls of {@link after}. */
  #asked = 0
  #isParsing = false
  /** Whether output is missing before the next write. */
  #isTorn = false
  #done: Promise<void> = Promise.resolve()
  readonly #unfinished = new Unfinished()

  /** `parsing` is called before each piece and each change of size, `parsed` after it. */
  constructor(size: Size, parsing: () => void, parsed: () => void) {
    this.#size = size
    this.#parsing = parsing
    this.#parsed = parsed
  }

  get emulator(): Emulator {
    return (this.#emulator ??= createEmulator(this.#size))
  }

  /** How many of its bytes the screen shows. */
  get parsedTo(): number {
    return this.#parsedTo
  }

  /** The bytes of a sequence or a character that is not complete yet. */
  get unfinished(): Uint8Array {
    return this.#unfinished.bytes
  }

  /** Begins with that screen. Call it before the first write. `works` is called after each piece. */
  async restore(screen: Uint8Array, works: () => void): Promise<void> {
    await this.after(() => this.#parseAll(screen, works))
  }

  /** Output is missing before the next write. */
  async tear(): Promise<void> {
    this.#isTorn = true
    await this.after(async () => {
      await this.#parseAll(Buffer.from(CANCEL))
      await this.#parseAll(Buffer.from(gapIn(this.emulator)))
    })
  }

  /**
   * The output after the screen of so many bytes, if it is only lines and none of it was parsed yet. `taken` is the end
   * of it.
   */
  since(base: number): { taken: number; bytes: Uint8Array<ArrayBuffer> } | null {
    if (this.#parsedTo !== base || this.#asked > 0 || this.#isParsing || !this.#pending.isPlain) return null
    if (!canSkim(this.emulator)) return null
    this.#skim()
    return { taken: this.#taken, bytes: this.#pending.copy() }
  }

  /** Resolves when there is room for more. */
  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    // Otherwise the session's log could drop output right after a screen that is being printed.
    while (this.#asked > 0) await this.#done
    this.#taken += bytes.length
    this.#change(() => this.#pending.push(this.#isTorn ? afterTear(bytes) : bytes))
    this.#isTorn = false
    this.#timer ??= this.#lookLater()
    if (this.#isParsing && this.#isFull) await this.#done
    if (this.#mayWait()) return
    // One piece waits while the one before it is parsed.
    const before = this.#done
    void this.#parse()
    await before
  }

  /** Runs `work` when all earlier output has been parsed. Until it is done, writes wait. */
  async after(work: () => void | Promise<void>): Promise<void> {
    this.#asked += 1
    await this.meanwhile(work)
    this.#asked -= 1
  }

  /**
   * Like {@link after}, but writes go on, and their output waits. The screen stays as it was at {@link parsedTo} until
   * `work` is done.
   */
  meanwhile(work: () => void | Promise<void>): Promise<void> {
    void this.#parse()
    return (this.#done = this.#done.then(work))
  }

  /** The output after this is for a screen of that size. Resolves when the size has changed. */
  async resize(size: Size): Promise<void> {
    if (this.#emulator === null && this.#pending.size === 0) this.#size = size
    else {
      const { terminal } = this.emulator
      await this.after(() => {
        // The screen may become ten times as large, and all of its lines are rewrapped.
        this.#parsing()
        terminal.resize(size.cols, size.rows)
        this.#parsed()
      })
    }
  }

  /** Resolves when everything of it is disposed of. */
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

  /** Whether output may wait, because later output may scroll some of it away. */
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

  /** Parses the waiting output. Resolves when this, and all earlier work, is done. */
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
