/** A terminal session: one program on a pseudo-terminal, and whoever looks at it. It knows no transport. */
import { WINDOW_BYTES } from '@slipway/protocol'
import type { Pty } from '../../runtime/port.ts'
import { connectionLost, type Ending, endingOfExit } from './ending.ts'
import { LOG_BYTES, OutputLog } from './output-log.ts'

/** Someone who looks at a session. */
export interface Viewer {
  /** Bytes handed over that have not been consumed at the other end. */
  readonly backlog: number
  output(chunk: Uint8Array): void
  /** Told once; nothing comes after it. */
  ended(ending: Ending): void
}

/** Reading goes on when every viewer is below this: half the window, so that it does not flutter. */
const RESUME_BYTES = WINDOW_BYTES / 2

interface Parts {
  readonly id: string
  readonly pty: Pty
  readonly mode: string
  readonly agentName: string
  readonly size: Size
  /** Offset of the first byte that the pty will give; more than 0 for one that was attached to. */
  readonly from?: number
  /** For how long it waits for somebody when nobody is left, in seconds. */
  keepSeconds(): Promise<number>
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
  readonly #viewers = new Set<Viewer>()
  #size: Size
  #ending: Ending | null = null
  #paused = false
  /** Runs while nobody looks. */
  #patience: NodeJS.Timeout | null = null
  #drained: () => void = () => undefined
  #resolveEnded: (isReleased: boolean) => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.id = parts.id
    this.mode = parts.mode
    this.#size = parts.size
    this.#log = new OutputLog(LOG_BYTES, parts.from)
    const ended = new Promise<boolean>((resolve) => {
      this.#resolveEnded = resolve
    })
    this.gone = ended.then((isReleased) => (isReleased ? undefined : parts.pty.hangUp()))
    // Whoever waits for it handles the failure; nobody has to.
    this.gone.catch(() => undefined)
    parts.pty.onDrain(() => this.#drained())
    parts.pty.onOutput((chunk) => this.#output(chunk))
    void parts.pty.exit.then((exit) => this.end(endingOfExit(parts.mode, parts.agentName, exit)))
  }

  /** Offset of the output that comes next. */
  get offset(): number {
    return this.#log.end
  }

  /** As it was asked for last. */
  get size(): Size {
    return this.#size
  }

  /** Null while it goes on. */
  get ending(): Ending | null {
    return this.#ending
  }

  /** Its first process, as {@link Pty.leader}. */
  get leader(): string {
    return this.#parts.pty.leader
  }

  /** Whether anybody looks at it now. */
  get isAttended(): boolean {
    return this.#viewers.size > 0
  }

  /** Whether it goes on without this backend. */
  get survives(): boolean {
    return this.#parts.pty.survives
  }

  /** The offset that somebody can be shown it from who has everything before `wanted`: that one, or the oldest that is kept. */
  offsetFor(wanted: number): number {
    return wanted >= this.#log.start && wanted <= this.#log.end ? wanted : this.#log.start
  }

  /** Whether they look at it now. */
  has(viewer: Viewer): boolean {
    return this.#viewers.has(viewer)
  }

  /** From now on the viewer is told everything, beginning at `from`, which is one of {@link offsetFor}. */
  attach(viewer: Viewer, from: number): void {
    this.#stopWaiting()
    const missed = this.#log.since(from)
    if (missed === null) throw new RangeError(`offset ${from} is not kept`)
    if (missed.length > 0) viewer.output(missed)
    if (this.#ending) return viewer.ended(this.#ending)
    this.#viewers.add(viewer)
  }

  /** The last one who leaves has some time to come back. */
  detach(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer)) return
    this.consumed()
    if (this.#viewers.size === 0) this.waitForSomebody()
  }

  /** Tells all viewers that this is over for them, and goes on without them. */
  dismiss(ending: Ending): void {
    const viewers = [...this.#viewers]
    this.#viewers.clear()
    for (const viewer of viewers) viewer.ended(ending)
    if (this.#ending) return
    this.consumed()
    this.waitForSomebody()
  }

  /** Call it for a session to which nobody has come yet. */
  waitForSomebody(): void {
    if (this.#ending) return
    this.#stopWaiting()
    const begin = (seconds: number): void => {
      if (this.#ending || this.isAttended) return
      this.#stopWaiting()
      // Whatever becomes of this backend, the program waits as long.
      this.#parts.pty.keep(seconds)
      this.#patience = setTimeout(() => this.end(connectionLost), seconds * 1000)
      this.#patience.unref()
    }
    void this.#parts.keepSeconds().then(begin)
  }

  /** A viewer has caught up somewhat: perhaps reading can go on, and what everybody has seen can go. */
  consumed(): void {
    if (this.#ending) return
    let most = 0
    for (const { backlog } of this.#viewers) most = Math.max(most, backlog)
    this.#parts.pty.acknowledge(this.#log.end - most)
    if (!this.#paused || most > RESUME_BYTES) return
    this.#paused = false
    this.#parts.pty.resume()
  }

  /** False: enough input is waiting; go on when `onDrain` is called. */
  write(data: Uint8Array): boolean {
    return this.#ending ? true : this.#parts.pty.write(data)
  }

  /** Sets the one listener that is told when queued input has been taken. */
  onDrain(listener: () => void): void {
    this.#drained = listener
  }

  resize(cols: number, rows: number): void {
    if (this.#ending) return
    this.#size = { cols, rows }
    this.#parts.pty.resize(cols, rows)
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
    this.#stopWaiting()
    this.#parts.onEnd(ending, goesOn)
    for (const viewer of this.#viewers) viewer.ended(ending)
    this.#viewers.clear()
  }

  #stopWaiting(): void {
    if (this.#patience) clearTimeout(this.#patience)
    this.#patience = null
  }

  #output(chunk: Uint8Array): void {
    if (this.#ending) return
    this.#log.append(chunk)
    let behind = false
    for (const viewer of this.#viewers) {
      viewer.output(chunk)
      behind ||= viewer.backlog > WINDOW_BYTES
    }
    if (this.#viewers.size === 0) return this.#parts.pty.acknowledge(this.#log.end)
    if (!behind || this.#paused) return
    this.#paused = true
    this.#parts.pty.pause()
  }
}
