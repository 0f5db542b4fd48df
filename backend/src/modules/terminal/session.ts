/** A terminal session: one program on a pseudo-terminal, and whoever looks at it. It knows no transport. */
import type { Participant, RecordedParts } from '@slipway/protocol'
import { streamed } from '../../lib/garbage.ts'
import type { Pty } from '../../runtime/port.ts'
import { Arrival } from './arrival.ts'
import { Audience, linesFor } from './audience.ts'
import { connectionLost, type Ending, endingOfExit } from './ending.ts'
import type { Snapshot } from './mirror/mirror.ts'
import { Keyboard } from './keyboard.ts'
import { Observers } from './observers.ts'
import { LOG_BYTES, OutputLog } from './output-log.ts'
import { Patience } from './patience.ts'
import { Company, type Person } from './sharing/company.ts'

/** Someone who looks at a session. */
export interface Viewer {
  /** Bytes handed over that have not been consumed at the other end. */
  readonly backlog: number
  /** The size that they asked for last: the program's while they have control. */
  readonly askedSize: Size | null
  output(chunk: Uint8Array): void
  /** Something was left out: what is on their screen is no part of what follows. */
  snapshot(snapshot: Snapshot): void
  resized(size: Size): void
  /** Who is in the session, among them the reader under the name `you`; why they do not get, or give, control. */
  company(people: readonly Participant[], you: string, refusal?: string): void
  /** What of the session is recorded from now on. */
  recorded(parts: RecordedParts): void
  /** More of what they type is taken. */
  drained(): void
  /** Told once; nothing comes after it. */
  ended(ending: Ending): void
}

/** What happened to a session that is not output. */
export type Mark = 'attached' | 'detached' | 'control'

/** Something that has to see every byte, and may slow the program for it: the mirror, a recording. It keeps no session alive. */
export interface Observer {
  /** Bytes that were told and are not dealt with yet. Call {@link Session.consumed} when it has become less. */
  readonly backlog: number
  /** Where it says that: the container is to keep what follows this offset, although it was dealt with. */
  readonly keptTo?: number
  /** In order, without gaps; `offset` is that of the first byte. The memory is somebody else's afterwards. */
  output(chunk: Uint8Array, offset: number): void
  resized?(size: Size): void
  /** What somebody typed. */
  typed?(data: Uint8Array): void
  marked?(mark: Mark): void
  /** Told once. `goesOn`: another backend will take the session over. */
  ended(ending: Ending, goesOn: boolean): void
  /** It has thrown something, and is told nothing any more. The session goes on without it. */
  failed(): void
}

/** How far the program may run ahead of an observer, in bytes: half of what is kept for whoever comes back. */
export const OBSERVER_BYTES = LOG_BYTES / 2

interface Parts {
  readonly id: string
  readonly pty: Pty
  readonly mode: string
  readonly agentName: string
  readonly size: Size
  /** Offset of the first byte that the pty will give; more than 0 for one that was attached to. */
  readonly from?: number
  /** Offset up to which there is output already, and on its way; of one that was attached to. */
  readonly to?: number
  /** For how long it waits for somebody when nobody is left, in seconds. */
  keepSeconds(): Promise<number>
  /** Told whenever {@link Session.waits} has changed. */
  onWaits(): void
  /** An observer has thrown this, and does not see the session any more. */
  onFailure(error: unknown): void
  /** Told once, when the session ended; its processes may take a few seconds more, or go on without this backend. */
  onEnd(ending: Ending, goesOn: boolean): void
}

export interface Size {
  readonly cols: number
  readonly rows: number
}

export class Session {
  readonly id: string
  readonly mode: string
  /** Settled when none of its processes is left, or they could not be ended (which the rejection says), or it was let go. */
  readonly gone: Promise<void>
  readonly #parts: Parts
  readonly #log: OutputLog
  readonly #arrival: Arrival
  readonly #audience: Audience
  readonly #company = new Company((controller) => this.#controlled(controller))
  readonly #observers: Observers
  readonly #keyboard = new Keyboard((data) => this.#type(data))
  readonly #patience: Patience
  #size: Size
  #recorded: RecordedParts = 'nothing'
  #ending: Ending | null = null
  #paused = false
  /** Prints its screen, where there is a mirror. */
  #print: (lines: number | null) => Promise<Snapshot | null> = () => Promise.resolve(null)
  /** Offset at which its size changed last. */
  #resizedAt = 0
  #resolveEnded: (isReleased: boolean) => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.id = parts.id
    this.mode = parts.mode
    this.#size = parts.size
    this.#log = new OutputLog(LOG_BYTES, parts.from)
    this.#arrival = new Arrival(this.#log.end, parts.to ?? 0)
    this.#audience = new Audience({
      log: this.#log,
      print: (lines) => this.#print(lines),
      size: () => this.#size,
      changed: () => this.consumed(),
    })
    this.#observers = new Observers((error) => {
      parts.onFailure(error)
      this.consumed()
    })
    this.#patience = new Patience({
      seconds: () => parts.keepSeconds(),
      isNeeded: () => !this.#ending && !this.isAttended,
      // Whatever becomes of this backend, the program waits as long.
      begun: (seconds) => parts.pty.keep(seconds),
      changed: () => parts.onWaits(),
      over: () => this.end(connectionLost),
    })
    const ended = new Promise<boolean>((resolve) => {
      this.#resolveEnded = resolve
    })
    this.gone = ended.then((isReleased) => (isReleased ? undefined : parts.pty.hangUp()))
    // Whoever waits for it handles the failure; nobody has to.
    this.gone.catch(() => undefined)
    parts.pty.onDrain(() => this.#audience.drained())
    parts.pty.onOutput((chunk) => this.#output(chunk))
    void parts.pty.exit.then((exit) => {
      const ending = endingOfExit(parts.mode, parts.agentName, exit)
      // An engine may leave its containers running while it is away itself.
      if (exit.cause === 'engine_unavailable') this.release(ending)
      else this.end(ending)
    })
  }

  /** Offset of the output that comes next. */
  get offset(): number {
    return this.#log.end
  }

  /** As it was asked for last. */
  get size(): Size {
    return this.#size
  }

  /** What of it is recorded, whoever types. */
  get recorded(): RecordedParts {
    return this.#recorded
  }

  /** Tells everybody who looks at it what of it is recorded from now on. */
  recordedAs(parts: RecordedParts): void {
    if (parts === this.#recorded) return
    this.#recorded = parts
    this.#audience.recorded(parts)
  }

  /** Null while it goes on. */
  get ending(): Ending | null {
    return this.#ending
  }

  /** Its first process, as {@link Pty.leader}. */
  get leader(): string {
    return this.#parts.pty.leader
  }

  /** Whether the one whose session it is looks at it now. */
  get isAttended(): boolean {
    return this.#company.isAttended
  }

  /** Whether it goes on without the one whose session it is, and waits for them. */
  get waits(): boolean {
    return this.#patience.isWaiting
  }

  /** How many look at it without its being theirs. */
  get watchers(): number {
    return this.#company.size - (this.isAttended ? 1 : 0)
  }

  /** Whether what they type counts. */
  controls(viewer: Viewer): boolean {
    return this.#company.controls(viewer)
  }

  /** Wants control, or does not any more. */
  ask(viewer: Viewer, asks: boolean): void {
    this.#company.ask(viewer, asks)
  }

  /** Says no to the one with that id, who asks for control. */
  decline(viewer: Viewer, to: string): void {
    this.#company.decline(viewer, to)
  }

  /** Hands control over to the one with that id, once it is recorded. */
  give(viewer: Viewer, to: string): Promise<void> {
    return this.#company.give(viewer, to)
  }

  /** Whether it goes on without this backend. */
  get survives(): boolean {
    return this.#parts.pty.survives
  }

  /** Up to where the container may have forgotten it. */
  get acknowledged(): number {
    return this.#parts.pty.acknowledged
  }

  /** Offset of the oldest output that is kept. */
  get start(): number {
    return this.#log.start
  }

  /** At most `limit` bytes of the output from `offset` on, which has to be kept. */
  read(offset: number, limit?: number): Uint8Array<ArrayBuffer> {
    const bytes = this.#log.since(offset, limit)
    if (bytes === null) throw new RangeError(`offset ${offset} is not kept`)
    return bytes
  }

  /** From now on it sees everything; what came before is {@link read}. */
  observe(observer: Observer): void {
    this.#observers.add(observer)
  }

  unobserve(observer: Observer): void {
    this.#observers.remove(observer)
    this.consumed()
  }

  /** The one who can print the screen. */
  mirrorIn(print: (lines: number | null) => Promise<Snapshot | null>): void {
    this.#print = print
  }

  /**
   * What somebody has to be shown who has everything before `offset` on a screen of that size: null, and then what follows
   * that offset; or the screen, and then what follows its own. `isHolder`: the session is theirs.
   */
  async view(offset: number | null, size: Size | null, isHolder: boolean): Promise<Snapshot | null> {
    // What they have seen may be on its way from the container: they were quicker than it.
    if (offset !== null && offset > this.#log.end) await this.#arrival.over
    if (offset !== null && this.#isExact(offset, size)) return null
    const snapshot = await this.#print(linesFor(isHolder))
    if (snapshot && snapshot.offset >= this.#log.start) return snapshot
    return { offset: this.#log.start, size: this.#size, data: new Uint8Array() }
  }

  /** Whether what was printed since is all that they miss. */
  #isExact(offset: number, size: Size | null): boolean {
    if (offset < this.#log.start || offset > this.#log.end || offset < this.#resizedAt) return false
    return size === null || (size.cols === this.#size.cols && size.rows === this.#size.rows)
  }

  /** Whether they look at it now. */
  has(viewer: Viewer): boolean {
    return this.#audience.has(viewer)
  }

  /**
   * From now on the viewer is told everything, beginning at `from`, which has to be kept. Who is in the session comes first, so that
   * nobody who sees the screen still believes that they have control; then what `show` shows them.
   */
  attach(viewer: Viewer, from: number, person: Person, show: () => void = () => undefined): void {
    if (person.isHolder) this.#patience.came()
    if (!this.#ending) this.#company.add(viewer, person)
    show()
    const missed = this.read(from)
    if (missed.length > 0) viewer.output(missed)
    if (this.#ending) return viewer.ended(this.#ending)
    // One who only looks on holds nobody up.
    this.#audience.add(viewer, person.isHolder)
    if (person.isHolder) this.#mark('attached')
  }

  /** When the one leaves whose session it is, they have some time to come back. */
  detach(viewer: Viewer): void {
    if (!this.#audience.remove(viewer)) return
    this.#left(viewer)
    this.consumed()
  }

  /** Tells somebody, or all to whom it belongs, that this is over for them, and goes on without them. */
  dismiss(ending: Ending, who = (viewer: Viewer) => this.#company.holds(viewer)): void {
    for (const viewer of this.#audience.dismiss(ending, who)) this.#left(viewer)
    if (!this.#ending) this.consumed()
  }

  #left(viewer: Viewer): void {
    const isHolder = this.#company.holds(viewer)
    this.#keyboard.left(viewer)
    this.#company.remove(viewer)
    if (!isHolder || this.isAttended || this.#ending) return
    this.waitForSomebody()
    this.#mark('detached')
  }

  #controlled({ askedSize }: Viewer): void {
    this.#mark('control')
    if (askedSize) this.resize(askedSize.cols, askedSize.rows)
  }

  /** Call it for a session to which nobody has come yet. */
  waitForSomebody(): void {
    if (!this.#ending) this.#patience.begin()
  }

  /** Somebody has caught up somewhat: perhaps reading can go on, and what everybody has seen can go. */
  consumed(): void {
    if (this.#ending) return
    this.#keepPace()
    // Also for observers: what a killed backend had not dealt with is there for the next one.
    const seen = this.#log.end - Math.max(this.#audience.backlog, this.#observers.backlog)
    this.#parts.pty.acknowledge(Math.min(seen, this.#observers.keptTo))
  }

  /** Types for somebody. False: enough input is waiting; go on when {@link Viewer.drained} is called. */
  write(data: Uint8Array, typist: Viewer): boolean {
    return this.#ending !== null || this.#keyboard.write(data, typist)
  }

  #type(data: Uint8Array): boolean {
    this.#observers.tell((observer) => observer.typed?.(data))
    return this.#parts.pty.write(data)
  }

  resize(cols: number, rows: number): void {
    if (this.#ending || (cols === this.#size.cols && rows === this.#size.rows)) return
    this.#size = { cols, rows }
    this.#resizedAt = this.#log.end
    this.#parts.pty.resize(cols, rows)
    this.#observers.tell((observer) => observer.resized?.(this.#size))
    this.#audience.resized(this.#size)
  }

  /** Ends it, once: tells the viewers, then ends the processes. Later calls change nothing. */
  end(ending: Ending): void {
    if (this.#ending) return
    this.#over(ending, false)
    // Nobody reads any more, and a program that is blocked on its output could not react to the hang-up.
    this.#parts.pty.resume()
    this.#resolveEnded(false)
  }

  /** Lets go of it, so that a later backend can take it over; one that cannot survive is ended. */
  release(ending: Ending): void {
    if (this.#ending) return
    if (!this.survives) return this.end(ending)
    this.#over(ending, true)
    this.#parts.pty.release()
    this.#resolveEnded(true)
  }

  #over(ending: Ending, goesOn: boolean): void {
    this.#ending = ending
    this.#arrival.stop()
    this.#patience.stop()
    this.#parts.onEnd(ending, goesOn)
    this.#audience.dismiss(ending)
    this.#observers.end(ending, goesOn)
  }

  #mark(mark: Mark): void {
    this.#observers.tell((observer) => observer.marked?.(mark))
  }

  #output(chunk: Uint8Array): void {
    if (this.#ending) return
    streamed(chunk.length)
    const offset = this.#log.end
    this.#log.append(chunk)
    this.#arrival.came(this.#log.end)
    this.#audience.output(chunk)
    this.#observers.tell((observer) => observer.output(chunk, offset))
    if (this.#audience.size === 0) this.consumed()
    else this.#keepPace()
  }

  /** Reads no faster than the slowest of those who follow. */
  #keepPace(): void {
    const mayFlutter = this.#paused ? OBSERVER_BYTES / 2 : OBSERVER_BYTES
    const isFull = this.#audience.holdsUp() || this.#observers.backlog > mayFlutter
    if (isFull === this.#paused) return
    this.#paused = isFull
    if (isFull) this.#parts.pty.pause()
    else this.#parts.pty.resume()
  }
}
