/** A terminal session: one program on a pseudo-terminal, and its viewers. It knows no transport. */
import type { RecordedParts } from '@slipway/protocol'
import { streamed } from '../../../lib/garbage.ts'
import { Audience } from './viewers/audience.ts'
import { connectionLost, type Ending } from '../../sessions/ending.ts'
import { Finish } from './finish.ts'
import type { Snapshot } from '../screen/snapshot.ts'
import { Keyboard } from './keyboard.ts'
import { type Observer, Observers } from './viewers/observers.ts'
import { Need } from './need.ts'
import { LOG_BYTES, OutputLog } from '../../sessions/output-log.ts'
import { Pace } from './viewers/pace.ts'
import type { SessionParts } from './parts.ts'
import { Patience } from './patience.ts'
import { Company, type Person } from '../sharing/company.ts'
import { type Print, Showing } from './viewers/showing.ts'
import type { Size } from '@slipway/emulator'
import type { Viewer } from './viewers/viewer.ts'
import { Work } from './work.ts'

export class Session {
  readonly id: string
  readonly mode: string
  readonly need = new Need(() => this.#parts.onWaits())
  readonly work = new Work(() => this.#parts.onWaits())
  readonly #parts: SessionParts
  readonly #log: OutputLog
  readonly #showing: Showing
  readonly #audience: Audience
  readonly #company: Company
  readonly #observers: Observers
  readonly #pace: Pace
  readonly #keyboard = new Keyboard((data) => this.#type(data))
  readonly #patience: Patience
  readonly #finish: Finish
  #size: Size
  #recorded: RecordedParts = 'nothing'

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.id = parts.id
    this.mode = parts.mode
    this.#size = parts.size
    this.#log = new OutputLog(LOG_BYTES, parts.from)
    this.#showing = new Showing({ log: this.#log, to: parts.to ?? 0, size: () => this.#size })
    this.#audience = new Audience({
      log: this.#log,
      print: (lines) => this.#showing.print(lines),
      size: () => this.#size,
      changed: () => this.consumed(),
    })
    this.#observers = new Observers((error) => {
      parts.onFailure(error)
      this.consumed()
    })
    this.#company = new Company(parts.isTakenOver === true, ({ askedSize }) => {
      this.#observers.mark('control')
      if (askedSize) this.resize(askedSize.cols, askedSize.rows)
    })
    this.#pace = new Pace({ pty: parts.pty, log: this.#log, audience: this.#audience, observers: this.#observers })
    this.#patience = new Patience({
      seconds: () => parts.keepSeconds(),
      isNeeded: () => !this.ending && !this.isAttended,
      // If this backend ends, the program still waits that long.
      begun: (seconds) => parts.pty.keep(seconds),
      changed: () => parts.onWaits(),
      over: () => this.end(connectionLost),
    })
    this.#finish = new Finish({ ...parts, over: (ending, goesOn) => this.#over(ending, goesOn) })
    parts.pty.onDrain(() => {
      this.#keyboard.drained()
      this.#audience.drained()
    })
    parts.pty.onOutput((chunk) => this.#output(chunk))
  }

  /** Offset of the next output. */
  get offset(): number {
    return this.#log.end
  }

  /** The size that was set last. */
  get size(): Size {
    return this.#size
  }

  /** Which parts of it are recorded, from every person who types. */
  get recorded(): RecordedParts {
    return this.#recorded
  }

  /** Tells all viewers which parts of it are recorded from now on. */
  recordedAs(parts: RecordedParts): void {
    if (parts === this.#recorded) return
    this.#recorded = parts
    this.#audience.recorded(parts)
  }

  /** Null while it goes on. */
  get ending(): Ending | null {
    return this.#finish.ending
  }

  /** Resolves when none of its processes is left, or it was released. Rejects if they could not be ended. */
  get gone(): Promise<void> {
    return this.#finish.gone
  }

  /** Its first process, as {@link Program.leader}. */
  get leader(): string {
    return this.#parts.pty.leader
  }

  /** Whether its user is attached. */
  get isAttended(): boolean {
    return this.#company.isAttended
  }

  /** Whether it goes on without its user, and waits for them. */
  get waits(): boolean {
    return this.#patience.isWaiting
  }

  /** How many guests watch it. */
  get watchers(): number {
    return this.#company.size - (this.isAttended ? 1 : 0)
  }

  /** Whether this viewer has control, so that its input counts. */
  controls(viewer: Viewer): boolean {
    return this.#company.controls(viewer)
  }

  /** How viewers ask for control, decline a request and hand control over. */
  get control(): Pick<Company, 'ask' | 'decline' | 'give'> {
    return this.#company
  }

  /** Whether it goes on if this backend ends. */
  get survives(): boolean {
    return this.#parts.pty.survives
  }

  /** Offset before which the container may have dropped its output. */
  get acknowledged(): number {
    return this.#parts.pty.acknowledged.stdout
  }

  /** Offset of the oldest output that is kept. */
  get start(): number {
    return this.#log.start
  }

  /** At most `limit` bytes of the output from `offset` on. Throws if that is not kept. */
  read(offset: number, limit?: number): Uint8Array<ArrayBuffer> {
    const bytes = this.#log.since(offset, limit)
    if (bytes === null) throw new RangeError(`offset ${offset} is not kept`)
    return bytes
  }

  /** The observer sees all output from now on; use {@link read} for earlier output. */
  observe(observer: Observer): void {
    this.#observers.add(observer)
  }

  unobserve(observer: Observer): void {
    this.#observers.remove(observer)
    this.consumed()
  }

  /** Sets the function that prints its screen. */
  mirrorIn(print: Print): void {
    this.#showing.printedBy(print)
  }

  /** What a viewer gets that attaches now, as {@link Showing.of}. */
  view(offset: number | null, size: Size | null, isHolder: boolean): Promise<Snapshot | null> {
    return this.#showing.of(offset, size, isHolder)
  }

  has(viewer: Viewer): boolean {
    return this.#audience.has(viewer)
  }

  /**
   * From now on the viewer gets all output, beginning at `from`, which has to be kept. The list of people comes first:
   * a person who sees the screen must not still believe that they have control. Then `show` is called.
   */
  attach(viewer: Viewer, from: number, person: Person, show: () => void = () => undefined): void {
    if (person.isHolder) this.#patience.came()
    if (!this.ending) this.#company.add(viewer, person)
    show()
    const missed = this.read(from)
    if (missed.length > 0) viewer.output(missed)
    if (this.ending) return viewer.ended(this.ending)
    // The program does not wait for a guest.
    this.#audience.add(viewer, person.isHolder)
    if (person.isHolder) this.#observers.mark('attached')
  }

  /** After its user leaves, the session waits for them to reconnect. */
  detach(viewer: Viewer): void {
    if (!this.#audience.remove(viewer)) return
    this.#left(viewer)
    this.consumed()
  }

  /** Tells these viewers (by default those of its user) that it is over for them, and removes them. */
  dismiss(ending: Ending, who = (viewer: Viewer) => this.#company.holds(viewer)): void {
    for (const viewer of this.#audience.dismiss(ending, who)) this.#left(viewer)
    if (!this.ending) this.consumed()
  }

  #left(viewer: Viewer): void {
    const isHolder = this.#company.holds(viewer)
    this.#keyboard.left(viewer)
    this.#company.remove(viewer)
    if (!isHolder || this.isAttended || this.ending) return
    this.waitForSomebody()
    this.#observers.mark('detached')
  }

  /** Call it for a session to which its user has not attached yet. */
  waitForSomebody(): void {
    if (!this.ending) this.#patience.begin()
  }

  /** A viewer or an observer has consumed output, as {@link Pace.consumed}. */
  consumed(): void {
    if (!this.ending) this.#pace.consumed()
  }

  /** Types for a viewer. False: enough input waits; go on when {@link Viewer.drained} is called. */
  write(data: Uint8Array, typist: Viewer): boolean {
    return this.ending !== null || this.#keyboard.write(data, typist)
  }

  /** Types for its user, who need not be attached. False: earlier input waits, so this was not typed. */
  type(data: Uint8Array): boolean {
    return this.ending === null && this.#keyboard.type(data)
  }

  #type(data: Uint8Array): boolean {
    this.need.typed(data)
    this.work.typed()
    this.#observers.tell((observer) => observer.typed?.(data))
    return this.#parts.pty.write(data)
  }

  /** Whether its screen answers what its program asks the terminal, because no viewer of its user does. */
  get answers(): boolean {
    return this.#parts.answers === true && !this.isAttended
  }

  /** The answer of its screen. */
  answer(data: Uint8Array): void {
    if (this.answers && !this.ending) this.#parts.pty.write(data)
  }

  resize(cols: number, rows: number): void {
    if (this.ending || (cols === this.#size.cols && rows === this.#size.rows)) return
    this.#size = { cols, rows }
    this.#showing.resized()
    this.#parts.pty.resize(cols, rows)
    this.#observers.tell((observer) => observer.resized?.(this.#size))
    this.#audience.resized(this.#size)
  }

  /** Ends it, once: tells the viewers, then ends the processes. Later calls change nothing. */
  end(ending: Ending): void {
    this.#finish.end(ending)
  }

  /** Detaches, so that a later backend can take it over. If it cannot survive, it is ended. */
  release(ending: Ending): void {
    this.#finish.release(ending)
  }

  #over(ending: Ending, goesOn: boolean): void {
    this.#showing.stop()
    this.#patience.stop()
    this.work.stop()
    this.#parts.onEnd(ending, goesOn)
    this.#audience.dismiss(ending)
    this.#observers.end(ending, goesOn)
  }

  #output(chunk: Uint8Array): void {
    if (this.ending) return
    streamed(chunk.length)
    const offset = this.#log.end
    this.#log.append(chunk)
    this.#showing.came()
    this.work.printed()
    this.#audience.output(chunk)
    this.#observers.tell((observer) => observer.output(chunk, offset))
    this.#pace.came()
  }
}
