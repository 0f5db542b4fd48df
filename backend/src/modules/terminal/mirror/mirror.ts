/**
 * The screen of one session, kept beside it: whoever comes back, or could not follow, is given it as it is. It reads the
 * session's log at its own pace; the session does not run further ahead than that log reaches.
 */
import type { Observer, Size } from '../session.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'
import { Prints } from './prints.ts'
import { type SizeChange, SizeChanges } from './sizes.ts'

/** Most output that is on its way to the thread at once, in bytes. */
const PIECE_BYTES = 131_072
/** How long small output is gathered, in milliseconds: an echo does not wait for its mirror. */
const GATHER_MS = 5
const NOTHING = new Uint8Array()

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

/** A screen that was kept. */
export interface Kept extends Snapshot {
  /** The sizes that its session had since, up to that of now. */
  readonly sizes: readonly SizeChange[]
}

/** Where a mirror begins whose session was there before. */
export interface Beginning {
  readonly kept: Kept | null
  /** Up to here the output is on its way: nobody is shown the screen before that. */
  readonly to: number
}

export class Mirror implements Observer {
  readonly #source: MirrorSource
  readonly #ways: Ways
  readonly #prints = new Prints()
  #sizes = new SizeChanges()
  /** Up to where the output is from before. */
  #to = 0
  /** Offset of the first byte that the emulator was given, and up to where the thread has taken it and has been sent it. */
  #origin = 0
  #taken = 0
  #sent = 0
  #gathering: NodeJS.Timeout | null = null
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
    return !this.#isLost && (this.#sent > this.#taken || this.#prints.sent > 0)
  }

  get backlog(): number {
    return this.#isLost ? 0 : Math.max(0, this.#source.offset - this.#taken)
  }

  /** With a screen that was kept, and what followed it; without one, from the oldest output that is kept, on an empty screen. */
  begin({ kept, to }: Beginning = { kept: null, to: 0 }): void {
    if (this.#isLost) return
    this.#prints.forget()
    this.#to = to
    const { start } = this.#source
    const { offset, size, data, sizes } = kept ?? { offset: 0, size: this.#source.size, data: NOTHING, sizes: [] }
    this.#origin = this.#taken = this.#sent = Math.max(offset, start)
    this.#sizes = new SizeChanges(sizes)
    const screen = data.length === 0 ? null : new Uint8Array(data)
    this.#ways.send({ type: 'open', ...size, screen, isTorn: start > offset }, screen ? [screen.buffer] : [])
    if (this.#source.offset < to)
      this.#prints.hold(() => (this.#hasBegun ? this.#prints.release() : this.#prints.forget()))
    this.#pump()
  }

  output(chunk: Uint8Array): void {
    if (this.#isLost || this.#sent > this.#taken) return
    if (this.#prints.isHeld) return this.#pump()
    if (chunk.length >= PIECE_BYTES / 8) return this.#pump()
    this.#gathering ??= setTimeout(() => this.#pump(), GATHER_MS)
  }

  resized(size: Size): void {
    this.#sizes.add({ offset: Math.max(this.#source.offset, this.#to), size })
    this.#pump()
  }

  /** The screen, with at most so many lines above it; null where there is no mirror (any more). `isPatient`: nobody is waiting for it. */
  print(scrollback: number | null = null, isPatient = false): Promise<Snapshot | null> {
    if (this.#isLost || this.#prints.isFull) return Promise.resolve(null)
    this.#pump()
    if (!this.#prints.isHeld && !this.#hasBegun) return Promise.resolve(null)
    return this.#prints.ask((request) => this.#ways.send({ type: 'print', request, scrollback, isPatient }))
  }

  ended(): void {
    this.#isEnding = true
    this.#closeWhenDone()
  }

  hear(message: Exclude<FromMirrors, { type: 'ready' }>): void {
    if (message.type === 'printed') {
      const { request, taken, data, cols, rows } = message
      this.#prints.answered(request, { offset: this.#origin + taken, size: { cols, rows }, data })
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
    this.#prints.forget()
    this.#ways.closed()
    this.#source.consumed()
  }

  /** Sends the next piece, if the thread has done with the last one. */
  #pump(): void {
    this.#stopGathering()
    if (this.#isLost || this.#sent > this.#taken || !this.#hasBegun) return
    for (let size = this.#sizes.take(this.#sent); size; size = this.#sizes.take(this.#sent))
      this.#ways.send({ type: 'resize', ...size })
    if (this.#prints.isHeld && this.#sent >= this.#to) this.#prints.release()
    const until = Math.min(this.#sizes.next, this.#sent + PIECE_BYTES)
    const bytes = this.#source.read(this.#sent, until - this.#sent)
    if (bytes.length === 0) return
    this.#sent += bytes.length
    this.#ways.send({ type: 'write', bytes }, [bytes.buffer])
  }

  /** A print that is on its way is waited for: somebody is to see how it ended. */
  #closeWhenDone(): void {
    if (!this.#isEnding || this.#isLost || !this.#prints.isEmpty) return
    this.#ways.send({ type: 'close' })
    this.lose()
  }

  /** Whether there is output after the screen that it began with. */
  get #hasBegun(): boolean {
    return this.#source.offset >= this.#origin
  }

  #stopGathering(): void {
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#gathering = null
  }
}
