/** The open input of a program: what is written to it arrives in order. */
import type { Program } from '../../../runtime/program.ts'

/** How much is written at a time, in bytes. */
const PIECE_BYTES = 65_536

export class ProgramInput {
  readonly #program: Pick<Program, 'write' | 'onDrain' | 'endInput'>
  /** What was not written yet: the prompt, and answers of a bounded number of questions. */
  #waiting: Uint8Array[] = []
  #isBlocked = false
  #isEnding = false
  #hasEnded = false

  /** Uses the program's only drain listener. */
  constructor(program: Pick<Program, 'write' | 'onDrain' | 'endInput'>) {
    this.#program = program
    program.onDrain(() => {
      this.#isBlocked = false
      this.#goOn()
    })
  }

  /** What follows {@link end} is left out. Answers whether it was taken. */
  write(bytes: Uint8Array): boolean {
    if (this.#isEnding) return false
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) this.#waiting.push(bytes.subarray(at, at + PIECE_BYTES))
    this.#goOn()
    return true
  }

  /** The program reads the end after what was written. Repeatable. */
  end(): void {
    this.#isEnding = true
    this.#goOn()
  }

  #goOn(): void {
    while (!this.#isBlocked) {
      const piece = this.#waiting.shift()
      if (piece === undefined) break
      this.#isBlocked = !this.#program.write(piece)
    }
    if (!this.#isEnding || this.#hasEnded || this.#waiting.length > 0) return
    this.#hasEnded = true
    this.#program.endInput()
  }
}
