/** One session's emulator in the thread, with the output that waits for it. */
import { SCROLLBACK_LINES } from '@slipway/protocol/emulator'
import type { Size } from '../session.ts'
import { createEmulator, type Emulator } from './emulator.ts'
import { canSkim, skim } from './skim.ts'

/** Output of one session that may wait to be parsed, in bytes: a flood that is looked at in large pieces can be skimmed. */
const WAITING_BYTES = 8_388_608
/** The same of all sessions together. */
const ALL_WAITING_BYTES = 67_108_864
/** For how long it may, in milliseconds. */
const WAITING_MS = 250

/** Parsed at once, in bytes: the emulator stops for nobody in between, and this takes it some milliseconds. */
const PIECE_BYTES = 131_072

let allWaiting = 0

export class Place {
  readonly emulator: Emulator
  readonly #parsing: () => void
  readonly #parsed: () => void
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #timer: NodeJS.Timeout | null = null
  #taken = 0
  /** Things that are to be done after what was given until then. */
  #pending = 0
  #done: Promise<void> = Promise.resolve()

  /** `parsing` is told before each piece, `parsed` after it. */
  constructor(size: Size, parsing: () => void, parsed: () => void) {
    this.emulator = createEmulator(size)
    this.#parsing = parsing
    this.#parsed = parsed
  }

  /** Bytes that it was ever given. */
  get taken(): number {
    return this.#taken
  }

  /** Settles when there is room for more. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#taken += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    allWaiting += bytes.length
    this.#timer ??= setTimeout(() => this.#parse(), WAITING_MS)
    // While a screen is to be printed no more is taken: the session's log would run away from where that screen ends.
    if (this.#pending === 0 && this.#waitingBytes < WAITING_BYTES && allWaiting < ALL_WAITING_BYTES) return
    // What was handed over before is awaited, not this: more is taken while it is parsed.
    const before = this.#done
    this.#parse()
    await (this.#pending === 0 ? before : this.#done)
  }

  /** Does something when everything has been parsed that was given before. */
  async after(work: () => void): Promise<void> {
    this.#parse()
    this.#pending += 1
    await (this.#done = this.#done.then(work))
    this.#pending -= 1
  }

  /** Hands over what waits. */
  #parse(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#waitingBytes === 0) return
    const [only, ...more] = this.#waiting
    const bytes = more.length === 0 ? only! : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#done = this.#done.then(async () => {
      for (const part of this.#withoutScrolledAway(bytes))
        for (let at = 0; at < part.length; at += PIECE_BYTES) await this.#write(part.subarray(at, at + PIECE_BYTES))
      allWaiting -= bytes.length
    })
  }

  #withoutScrolledAway(bytes: Uint8Array): Uint8Array[] {
    const lines = SCROLLBACK_LINES + 2 * this.emulator.terminal.rows
    const skimmed = canSkim(this.emulator) ? skim(bytes, lines) : null
    return skimmed ? [bytes.subarray(0, skimmed.head), skimmed.looks, bytes.subarray(skimmed.tail)] : [bytes]
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#parsing()
      this.emulator.terminal.write(bytes, () => {
        this.#parsed()
        resolve()
      })
    })
  }
}
