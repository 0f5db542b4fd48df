/** A terminal session: one program on a pseudo-terminal, and whoever looks at it. It knows no transport. */
import { WINDOW_BYTES } from '@slipway/protocol'
import type { Pty } from '../../runtime/port.ts'
import { type Ending, endingOfExit } from './ending.ts'
import { OutputLog } from './output-log.ts'

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
  /** Shown before the program's own output. */
  readonly notice: string | null
  /** Told once, when the session ended; its processes may take a few seconds more. */
  onEnd(ending: Ending): void
}

export class Session {
  readonly id: string
  readonly mode: string
  /** Settled when none of its processes is left, or they could not be ended (which the rejection says). */
  readonly gone: Promise<void>
  readonly #parts: Parts
  readonly #log = new OutputLog()
  readonly #viewers = new Set<Viewer>()
  #ending: Ending | null = null
  #paused = false
  #resolveEnded: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.id = parts.id
    this.mode = parts.mode
    const ended = new Promise<void>((resolve) => {
      this.#resolveEnded = resolve
    })
    this.gone = ended.then(() => parts.pty.hangUp())
    // Whoever waits for it handles the failure; nobody has to.
    this.gone.catch(() => undefined)
    if (parts.notice !== null) this.#log.append(Buffer.from(`\u001b[2m${parts.notice}\u001b[0m\r\n`))
    parts.pty.onOutput((chunk) => this.#output(chunk))
    void parts.pty.exit.then((exit) => this.end(endingOfExit(parts.mode, parts.agentName, exit)))
  }

  /** Offset of the output that comes next. */
  get offset(): number {
    return this.#log.end
  }

  /** Null while it goes on. */
  get ending(): Ending | null {
    return this.#ending
  }

  /** From now on the viewer is told everything, beginning at `from`; false when that is gone from the log. */
  attach(viewer: Viewer, from: number): boolean {
    const missed = this.#log.since(from)
    if (missed === null) return false
    if (missed.length > 0) viewer.output(missed)
    if (this.#ending) viewer.ended(this.#ending)
    else this.#viewers.add(viewer)
    return true
  }

  detach(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    this.consumed()
  }

  /** A viewer has caught up somewhat: perhaps reading can go on. */
  consumed(): void {
    if (!this.#paused || this.#ending) return
    for (const viewer of this.#viewers) if (viewer.backlog > RESUME_BYTES) return
    this.#paused = false
    this.#parts.pty.resume()
  }

  /** False: enough input is waiting; go on when `onDrain` is called. */
  write(data: Uint8Array): boolean {
    return this.#ending ? true : this.#parts.pty.write(data)
  }

  onDrain(listener: () => void): void {
    this.#parts.pty.onDrain(listener)
  }

  resize(cols: number, rows: number): void {
    if (!this.#ending) this.#parts.pty.resize(cols, rows)
  }

  /** Ends it, once: tells the viewers, then ends the processes. Later calls change nothing. */
  end(ending: Ending): void {
    if (this.#ending) return
    this.#ending = ending
    // Nobody reads any more, and a program that is blocked on its output could not react to the hang-up.
    this.#parts.pty.resume()
    this.#parts.onEnd(ending)
    for (const viewer of this.#viewers) viewer.ended(ending)
    this.#viewers.clear()
    this.#resolveEnded()
  }

  #output(chunk: Uint8Array): void {
    if (this.#ending) return
    this.#log.append(chunk)
    let behind = false
    for (const viewer of this.#viewers) {
      viewer.output(chunk)
      behind ||= viewer.backlog > WINDOW_BYTES
    }
    if (!behind || this.#paused) return
    this.#paused = true
    this.#parts.pty.pause()
  }
}
