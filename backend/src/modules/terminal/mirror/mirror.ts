/**
 * The screen of one session, kept beside it: whoever comes back, or could not follow, is given it as it is. It reads the
 * session's log at its own pace; the session does not run further ahead than that log reaches.
 */
import type { Observer, Size } from '../session.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'

/** Most output that is on its way to the thread at once, in bytes. */
const PIECE_BYTES = 131_072
/** How long small output is gathered, in milliseconds: an echo does not wait for its mirror. */
const GATHER_MS = 5
/** Changes of size between two pieces of output that are told apart; of more the oldest go. */
const SIZES_MAX = 64
/** Prints that may be asked for at once; whoever asks beyond that gets none. */
const PRINTS_MAX = 32

type Without<T> = T extends unknown ? Omit<T, 'key'> : never

export interface MirrorSource {
  readonly id: string
  readonly size: Size
  /** Offset of the oldest output that is kept. */
  readonly start: number
  /** Offset of the output that comes next. */
  readonly offset: number
  /** At most `limit` bytes of output from `offset` on. */
  read(offset: number, limit: number): Uint8Array<ArrayBuffer>
  /** The mirror has come further. */
  consumed(): void
}

interface Ways {
  send(message: Without<ToMirrors>, transfer?: ArrayBuffer[]): void
  closed(): void
}

/** A screen as it was when everything before `offset` had been printed. */
export interface Snapshot {
  readonly offset: number
  readonly size: Size
  /** To be written to an emulator of that size. */
  readonly data: Uint8Array
}

export class Mirror implements Observer {
  readonly #source: MirrorSource
  readonly #ways: Ways
  readonly #prints = new Map<number, (snapshot: Snapshot | null) => void>()
  #sizes: { readonly offset: number; readonly size: Size }[] = []
  /** Offset of the first byte that the emulator was given, and up to where the thread has taken it and has been sent it. */
  #origin = 0
  #taken = 0
  #sent = 0
  #gathering: NodeJS.Timeout | null = null
  #lastRequest = 0
  #isLost = false
  #isEnding = false

  constructor(source: MirrorSource, ways: Ways) {
    this.#source = source
    this.#ways = ways
  }

  get sessionId(): string {
    return this.#source.id
  }

  /** Whether the thread owes an answer. */
  get isWaiting(): boolean {
    return !this.#isLost && (this.#sent > this.#taken || this.#prints.size > 0)
  }

  get backlog(): number {
    return this.#isLost ? 0 : this.#source.offset - this.#taken
  }

  /** From the oldest output that is kept, on an empty screen. */
  begin(): void {
    if (this.#isLost) return
    this.#forgetPrints()
    this.#sizes = []
    this.#origin = this.#taken = this.#sent = this.#source.start
    this.#ways.send({ type: 'open', ...this.#source.size })
    this.#pump()
  }

  output(chunk: Uint8Array): void {
    if (this.#isLost || this.#sent > this.#taken) return
    if (chunk.length >= PIECE_BYTES / 8) return this.#pump()
    this.#gathering ??= setTimeout(() => this.#pump(), GATHER_MS)
  }

  resized(size: Size): void {
    const { offset } = this.#source
    if (this.#sizes.at(-1)?.offset === offset) this.#sizes.pop()
    this.#sizes.push({ offset, size })
    if (this.#sizes.length > SIZES_MAX) this.#sizes.shift()
    this.#pump()
  }

  /** The screen, with at most so many lines above it; null where there is no mirror (any more). */
  print(scrollback: number | null = null): Promise<Snapshot | null> {
    if (this.#isLost || this.#prints.size >= PRINTS_MAX) return Promise.resolve(null)
    this.#pump()
    return new Promise((resolve) => {
      const request = (this.#lastRequest += 1)
      this.#prints.set(request, resolve)
      this.#ways.send({ type: 'print', request, scrollback })
    })
  }

  ended(): void {
    this.#isEnding = true
    this.#closeWhenDone()
  }

  hear(message: Exclude<FromMirrors, { type: 'ready' }>): void {
    if (message.type === 'printed') {
      const { request, taken, data, cols, rows } = message
      this.#prints.get(request)?.({ offset: this.#origin + taken, size: { cols, rows }, data })
      this.#prints.delete(request)
      return this.#closeWhenDone()
    }
    this.#taken = this.#sent
    this.#pump()
    this.#source.consumed()
  }

  /** It is there no more; the session goes on without. */
  lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#stopGathering()
    this.#forgetPrints()
    this.#ways.closed()
    this.#source.consumed()
  }

  /** Sends the next piece, if the thread has done with the last one. */
  #pump(): void {
    this.#stopGathering()
    if (this.#isLost || this.#sent > this.#taken) return
    for (; this.#sizes[0] && this.#sizes[0].offset <= this.#sent; this.#sizes.shift())
      this.#ways.send({ type: 'resize', ...this.#sizes[0].size })
    const until = Math.min(this.#sizes[0]?.offset ?? Infinity, this.#sent + PIECE_BYTES)
    const bytes = this.#source.read(this.#sent, until - this.#sent)
    if (bytes.length === 0) return
    this.#sent += bytes.length
    this.#ways.send({ type: 'write', bytes }, [bytes.buffer])
  }

  /** A print that is on its way is waited for: somebody is to see how it ended. */
  #closeWhenDone(): void {
    if (!this.#isEnding || this.#isLost || this.#prints.size > 0) return
    this.#ways.send({ type: 'close' })
    this.lose()
  }

  #stopGathering(): void {
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#gathering = null
  }

  #forgetPrints(): void {
    for (const resolve of this.#prints.values()) resolve(null)
    this.#prints.clear()
  }
}
