/**
 * The mirror of one session has its current screen, for a client that reconnects or could not follow. It reads the
 * session's log at its own pace. The session runs no further ahead than that log reaches.
 */
import type { Ending } from '../../../sessions/ending.ts'
import type { Past } from '../journal/past.ts'
import type { Observer } from '../../session/viewers/observers.ts'
import type { Size } from '@slipway/emulator'
import { Journaling } from './journaling.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'
import { Prints } from './prints.ts'
import { type InTurn, Replay } from './replay.ts'
import { type SizeChange, SizeChanges } from './sizes.ts'
import type { MirrorSource } from './source.ts'
import type { Snapshot } from '../snapshot.ts'

/** Most output that is under way to the thread, in bytes. */
const PIECE_BYTES = 131_072
/** How long small output is gathered, in milliseconds. A user's echo does not wait for the mirror. */
const GATHER_MS = 5
const EMPTY = { offset: 0, data: new Uint8Array(), sizes: [], past: null }

type Without<T> = T extends unknown ? Omit<T, 'key'> : never

interface Ways {
  /** Whether the output after a kept screen may be written to a journal. */
  readonly canJournal: boolean
  send(message: Without<ToMirrors>, transfer?: ArrayBuffer[]): void
  /** Output from before this server is read within it. */
  readonly inTurn: InTurn
  /** So many bytes of that output are lost. */
  missing(bytes: number): void
  closed(): void
}

/** A kept screen. */
export interface Kept extends Snapshot {
  /** The sizes of its session since, up to the current one. */
  readonly sizes: readonly SizeChange[]
  /** The journal of the output after it, which an earlier server wrote; null: only the container has that output. */
  readonly past: Past | null
}

/** The start of a mirror for a session that existed before. */
export interface Beginning {
  readonly kept: Kept | null
  /** Output up to this offset is still on its way. Before that, no client gets the screen. */
  readonly to: number
}

export class Mirror implements Observer {
  readonly #source: MirrorSource
  readonly #ways: Ways
  readonly #prints = new Prints()
  #sizes = new SizeChanges()
  /** Up to this offset the output is from before this server. */
  #to = 0
  /**
   * Offset of the first byte that the emulator got, and the offsets up to which the thread has taken and has been sent
   * output.
   */
  #origin = 0
  #taken = 0
  #sent = 0
  /** Queries before this offset are old. */
  #answersFrom = 0
  /**
   * Changes of size that are sent and unanswered. The thread rewraps all lines for each one, so later changes are
   * joined meanwhile.
   */
  #resizing = 0
  #gathering: NodeJS.Timeout | null = null
  /** Where it began, and its source of output from before; null: there is none. */
  #begun: Pick<Kept, 'offset' | 'past'> = EMPTY
  #replay: Replay | null = null
  readonly #journaling: Journaling | null
  #isLost = false
  #isEnding = false
  #goesOn = false

  constructor(source: MirrorSource, ways: Ways) {
    this.#source = source
    this.#ways = ways
    const send: Ways['send'] = (message) => ways.send(message)
    this.#journaling = ways.canJournal && source.survives ? new Journaling(source, send) : null
  }

  /** Its thread was replaced. The mirror begins with the output that the session has, on an empty screen. */
  beginAgain(): void {
    this.begin()
    // The journal continues a screen that the new thread does not have.
    this.#journaling?.failed()
  }

  get sessionId(): string {
    return this.#source.id
  }

  /** Whether the thread owes an answer. */
  get isWaiting(): boolean {
    return !this.#isLost && (this.#isBusy || this.#prints.sent > 0)
  }

  get backlog(): number {
    const { start, offset } = this.#source
    return this.#isLost ? 0 : Math.max(0, offset - Math.max(start, this.#taken))
  }

  /** Up to this offset, the output after a kept screen is saved outside the container. */
  get keptTo(): number {
    return (this.#isLost ? null : this.#journaling?.savedTo) ?? Infinity
  }

  /**
   * Begins with a kept screen and the output after it. Without one, it begins with the oldest available output, on an
   * empty screen.
   */
  begin({ kept, to }: Beginning = { kept: null, to: 0 }): void {
    if (this.#isLost) return
    this.#prints.forget()
    this.#to = to
    this.#answersFrom = Math.max(to, this.#source.offset)
    const { offset, size, data, sizes, past } = kept ?? { ...EMPTY, size: this.#source.size }
    this.#begun = { offset, past }
    this.#origin = this.#taken = this.#sent = offset
    this.#resizing = 0
    this.#sizes = new SizeChanges(sizes)
    const screen = data.length === 0 ? null : new Uint8Array(data)
    this.#ways.send({ type: 'open', ...size, screen }, screen ? [screen.buffer] : [])
    this.#replay?.stop()
    const { inTurn } = this.#ways
    const replay: Replay | null = past && new Replay(past, inTurn, () => this.#replay === replay && this.#pump())
    this.#replay = replay
    if (!replay) this.#goOn()
    if (replay || this.#source.offset < to) this.#holdPrints()
    this.#pump()
  }

  output(chunk: Uint8Array): void {
    if (this.#isLost || this.#isBusy) return
    if (this.#prints.isHeld) return this.#pump()
    if (chunk.length >= PIECE_BYTES / 8) return this.#pump()
    this.#gathering ??= setTimeout(() => this.#pump(), GATHER_MS)
  }

  resized(size: Size): void {
    this.#sizes.add({ offset: Math.max(this.#source.offset, this.#to), size })
    this.#pump()
  }

  /**
   * Prints the screen, with at most so many lines of scrollback; null: the mirror is gone, or not ready. `keeping`: no
   * user waits for it. If only lines have followed the print at `keeping.base`, these lines are enough.
   */
  print(
    scrollback: number | null = null,
    keeping: { readonly base: number | null } | null = null,
  ): Promise<Snapshot | null> {
    if (this.#isLost) return Promise.resolve(null)
    this.#pump()
    const [isPatient, { isHeld, isFull }] = [keeping !== null, this.#prints]
    // A print that no user waits for would have to wait, and would delay others.
    if (isPatient ? isHeld || isFull || !this.#hasBegun : !isHeld && !this.#hasBegun) return Promise.resolve(null)
    if (!isHeld && this.#sent === this.#taken) this.#resize()
    if (isPatient) this.#journaling?.printing(this.#taken, this.#sent)
    const base = keeping && keeping.base !== null ? keeping.base - this.#origin : null
    const send = (request: number): void => this.#ways.send({ type: 'print', request, scrollback, isPatient, base })
    return this.#prints.ask(isPatient ? null : (scrollback ?? Infinity), send)
  }

  /** A screen is on the disk. Returns whether the journal before it is no longer needed. */
  kept(offset: number): boolean {
    if (!this.#journaling) return true
    if (this.#isLost) return this.#source.acknowledged <= offset
    this.#journaling.kept(offset, this.#sent)
    this.#source.consumed()
    return !this.#journaling.isOn
  }

  ended(_ending: Ending, goesOn: boolean): void {
    this.#isEnding = true
    this.#goesOn = goesOn
    this.#closeWhenDone()
  }

  hear(message: Exclude<FromMirrors, { type: 'ready' }>): void {
    if (message.type === 'printed') {
      const { request, taken, data, cols, rows, base } = message
      const snapshot = { offset: this.#origin + taken, size: { cols, rows }, data }
      this.#prints.answered(request, base === null ? snapshot : { ...snapshot, base: this.#origin + base })
      return this.#closeWhenDone()
    }
    if (message.type === 'answered') return this.#source.answer?.(Buffer.from(message.data))
    if (message.type === 'unjournaled') {
      this.#journaling?.failed()
      return this.#source.consumed()
    }
    if (this.#resizing > 0) this.#resizing -= 1
    else this.#taken = this.#sent
    this.#journaling?.taken(this.#taken)
    this.#pump()
    this.#source.consumed()
  }

  failed(): void {
    // The next server continues with the files on the disk.
    if (!this.#isLost) this.#ways.send({ type: 'close', goesOn: true })
    this.lose()
  }

  /** Ends the mirror. The session goes on without it. */
  lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#replay?.stop()
    this.#stopGathering()
    this.#prints.forget()
    this.#ways.closed()
    this.#source.consumed()
  }

  /** Sends the next piece, once the thread has taken the last one. */
  #pump(): void {
    this.#stopGathering()
    if (this.#isLost || this.#isBusy) return
    if (this.#replay?.isOver) this.#goOn()
    if (!this.#hasBegun) return
    if (this.#resize()) return
    if (this.#prints.isHeld && !this.#replay && this.#sent >= this.#to) this.#prints.release()
    const limit = Math.min(this.#sizes.next, this.#sent + PIECE_BYTES) - this.#sent
    if (!this.#replay) this.#journaling?.before(this.#sent)
    const bytes = this.#replay ? this.#replay.take(limit) : this.#source.read(this.#sent, limit)
    if (bytes.length === 0) return
    const answers = this.#source.answers === true && this.#sent >= this.#answersFrom
    this.#sent += bytes.length
    this.#prints.moved()
    this.#ways.send({ type: 'write', bytes, answers }, [bytes.buffer])
  }

  /** Continues with the session's own output, after the output from before. */
  #goOn(): void {
    const { offset, past } = this.#begun
    this.#replay = null
    const missing = this.#source.start - this.#sent
    if (missing > 0) {
      this.#origin += missing
      this.#taken = this.#sent = this.#source.start
      this.#ways.send({ type: 'tear' })
      if (past) this.#ways.missing(missing)
    }
    this.#journaling?.resume(offset, this.#sent, missing > 0 ? null : past)
  }

  /** Prints wait for output that is read from the disk, however long that takes. */
  #holdPrints(): void {
    this.#prints.hold(() => {
      if (this.#replay) this.#holdPrints()
      else if (this.#hasBegun) this.#prints.release()
      else {
        this.#prints.forget()
        this.#closeWhenDone()
      }
    })
  }

  /** A print that is under way comes first, because users are to see how the session ended. */
  #closeWhenDone(): void {
    if (!this.#isEnding || this.#isLost || !this.#prints.isEmpty) return
    this.#ways.send({ type: 'close', goesOn: this.#goesOn })
    this.lose()
  }

  /** Sends the next change of size, if it is due. Clients that get the screen already know the current size. */
  #resize(): boolean {
    const size = this.#sizes.take(this.#sent)
    if (!size) return false
    this.#resizing += 1
    this.#prints.moved()
    this.#ways.send({ type: 'resize', ...size })
    return true
  }

  /** Whether the thread has not taken all that it was sent. */
  get #isBusy(): boolean {
    return this.#resizing > 0 || this.#sent > this.#taken
  }

  /** Whether the output has reached the screen that it began with. */
  get #hasBegun(): boolean {
    return this.#replay !== null || this.#source.offset >= this.#sent
  }

  #stopGathering(): void {
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#gathering = null
  }
}
