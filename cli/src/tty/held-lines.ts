/** Lines that wait while a prompt is on the screen, which they would tear. */

/** Lines that wait at most. More appear at once, because a torn prompt is better than lost lines. */
const HELD_MAX = 1000

interface Sink {
  write(text: string): unknown
}

export class HeldLines {
  readonly #waiting: (() => void)[] = []
  #isHeld = false

  /** A stream whose text waits where it has to. */
  to(sink: Sink): Sink {
    return { write: (text) => this.#do(() => void sink.write(text)) }
  }

  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    for (const write of this.#waiting.splice(0)) write()
  }

  #do(write: () => void): void {
    if (this.#isHeld && this.#waiting.length < HELD_MAX) this.#waiting.push(write)
    else write()
  }
}
