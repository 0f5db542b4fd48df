import type { Size } from './frames.ts'

const isSame = (a: Size | null, b: Size | null): boolean => a?.cols === b?.cols && a?.rows === b?.rows

export interface ProgramSizeOptions {
  /** The size that fits into this viewer's element. */
  wanted: Size
  /** Whether to assume that this viewer has control, until the server says who has. */
  isOwn: boolean
  /** Asks the server for a size. */
  ask: (size: Size) => void
  /** Gets the program's size while another participant decides it. Null while this viewer does. */
  show: (size: Size | null) => void
}

/** The program's size: the viewer's own choice while they have control, otherwise the server's. */
export class ProgramSize {
  #wanted: Size
  /** The last size from the server. */
  #told: Size | null = null
  /** The last size sent to or received from the server. Null if the server may have dropped it. */
  #asked: Size | null
  #isOwn: boolean
  /** Whether the server has said who has control. */
  #isSure = false
  /** Whether to send no size yet. */
  #isHeld = true
  readonly #options: ProgramSizeOptions

  constructor(options: ProgramSizeOptions) {
    this.#options = options
    this.#wanted = this.#asked = options.wanted
    this.#isOwn = options.isOwn
  }

  get wanted(): Size {
    return this.#wanted
  }

  /** Whether this viewer has control. */
  get isOwn(): boolean {
    return this.#isOwn
  }

  want(size: Size): void {
    this.#wanted = size
    this.#ask()
  }

  /** Keeps the size until the replay or snapshot is on the screen. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#ask()
  }

  /** Handles a size from the server. */
  told(size: Size): void {
    // When control changes, the server may report the new size first.
    this.#told = this.#asked = size
    if (!this.#isOwn) this.#options.show(size)
  }

  control(isOwn: boolean): void {
    const wasSure = this.#isSure
    this.#isSure = true
    if (isOwn === this.#isOwn) return
    this.#isOwn = isOwn
    if (isOwn) {
      this.#asked = null
      this.#options.show(null)
      this.#ask()
      return
    }
    // If this viewer only assumed control, the server has ignored the sizes they asked for.
    const size = wasSure ? (this.#asked ?? this.#told) : this.#told
    if (size !== null) this.#options.show(size)
  }

  #ask(): void {
    if (!this.#isOwn || this.#isHeld || isSame(this.#wanted, this.#asked)) return
    this.#asked = this.#wanted
    this.#options.ask(this.#wanted)
  }
}
