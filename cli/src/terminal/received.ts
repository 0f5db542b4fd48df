/** Output of one socket: counted, told apart from screens and replays, and acknowledged once the terminal has it. */

/** Most output that the terminal has and that is not acknowledged, in bytes. */
const ACK_EVERY_BYTES = 65_536
/** Without further output, the rest is acknowledged after so long, in milliseconds. The server wants it within 100 ms. */
const ACK_IDLE_MS = 50

interface Sink {
  /** Draws bytes, and calls back when the terminal has them. */
  readonly draw: (bytes: Buffer, drawn: () => void) => void
  readonly acknowledge: (offset: number) => void
  /** The screen and the replay are drawn. */
  readonly onRestored: () => void
}

export class ReceivedOutput {
  readonly #sink: Sink
  #offset: number
  #drawn: number
  #acknowledged: number
  /** Bytes of a screen that are still to come. */
  #screenLeft = 0
  #isScreenMissing: boolean
  /** Bytes of a screen or a replay that are still to come or to be drawn. */
  #restoring: number
  #idle: NodeJS.Timeout | undefined
  /** Counts the screens. What was drawn before the last one does not count. */
  #screens = 0

  /** `isScreenMissing`: a screen comes before the output. */
  constructor(
    sink: Sink,
    from: { readonly offset: number; readonly replay: number; readonly isScreenMissing: boolean },
  ) {
    this.#sink = sink
    this.#offset = this.#drawn = this.#acknowledged = from.offset
    this.#restoring = from.replay
    this.#isScreenMissing = from.isScreenMissing
  }

  /** All output before it has arrived. Undefined while a screen is missing, on which later output would be wrong. */
  get offset(): number | undefined {
    return this.#isScreenMissing ? undefined : this.#offset
  }

  /** Whether the terminal shows the present: its answers to older output are not input. */
  get isLive(): boolean {
    return !this.#isScreenMissing && this.#restoring === 0
  }

  /** A screen replaces everything, and the output continues at its offset. */
  snapshot({
    bytes,
    offset,
    replay,
  }: {
    readonly bytes: number
    readonly offset: number
    readonly replay: number
  }): void {
    this.#offset = this.#drawn = this.#acknowledged = offset
    this.#screenLeft = bytes
    this.#isScreenMissing = bytes > 0
    this.#restoring = bytes + replay
    this.#screens++
    this.#restored(0)
  }

  receive(bytes: Buffer): void {
    const screen = bytes.subarray(0, this.#screenLeft)
    if (screen.length > 0) {
      this.#screenLeft -= screen.length
      this.#isScreenMissing = this.#screenLeft > 0
      this.#draw(screen, () => this.#restored(screen.length))
    }
    const output = bytes.subarray(screen.length)
    if (output.length === 0) return
    this.#offset += output.length
    const upTo = this.#offset
    this.#draw(output, () => {
      this.#drawn = upTo
      if (this.#restoring > 0) this.#restored(output.length)
      if (this.#drawn - this.#acknowledged >= ACK_EVERY_BYTES) this.#acknowledge()
      else this.#idle ??= setTimeout(() => this.#acknowledge(), ACK_IDLE_MS)
    })
  }

  /** What is drawn from now on counts no more. */
  stop(): void {
    this.#screens++
    clearTimeout(this.#idle)
  }

  #draw(bytes: Buffer, drawn: () => void): void {
    const screens = this.#screens
    this.#sink.draw(bytes, () => {
      if (screens === this.#screens) drawn()
    })
  }

  #acknowledge(): void {
    clearTimeout(this.#idle)
    this.#idle = undefined
    if (this.#drawn <= this.#acknowledged) return
    this.#acknowledged = this.#drawn
    this.#sink.acknowledge(this.#drawn)
  }

  #restored(bytes: number): void {
    this.#restoring = Math.max(0, this.#restoring - bytes)
    if (this.#restoring === 0) this.#sink.onRestored()
  }
}
