import type { Size } from './frames.ts'

const isSame = (a: Size | null, b: Size | null): boolean => a?.cols === b?.cols && a?.rows === b?.rows

export interface ProgramSizeOptions {
  /** What this viewer's element has room for. */
  wanted: Size
  /** Whether this viewer has control, until the server says who has. */
  isOwn: boolean
  /** Asks the server for a size. */
  ask: (size: Size) => void
  /** The size that the program has by somebody else's choice; null: by this viewer's. */
  show: (size: Size | null) => void
}

/** The size of the program: what this viewer wants while they have control, else what the server says. */
export class ProgramSize {
  #wanted: Size
  /** What the server has said last. */
  #told: Size | null = null
  /** What it was asked for since, or has said; null: that may have been forgotten. */
  #asked: Size | null
  #isOwn: boolean
  /** Whether the server has said who has control. */
  #isSure = false
  /** Nothing is asked for yet. */
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

  /** Whether it is this viewer who has control. */
  get isOwn(): boolean {
    return this.#isOwn
  }

  want(size: Size): void {
    this.#wanted = size
    this.#ask()
  }

  /** While what was there before is on its way to the screen, its size is not to change. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#ask()
  }

  /** The server says what it is. */
  told(size: Size): void {
    // Before it says that control has gone over, it may say what has become of the size.
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
    // Whoever only believed that they had control has asked for sizes in vain.
    const size = wasSure ? (this.#asked ?? this.#told) : this.#told
    if (size !== null) this.#options.show(size)
  }

  #ask(): void {
    if (!this.#isOwn || this.#isHeld || isSame(this.#wanted, this.#asked)) return
    this.#asked = this.#wanted
    this.#options.ask(this.#wanted)
  }
}
