/** The input that people type into one program. One of them types at a time. */
import { Bracket } from '../../../runtime/bracket.ts'

export class Keyboard {
  readonly #type: (data: Uint8Array) => boolean
  readonly #bracket = new Bracket()
  /** The viewer that typed last, until it leaves, or what stands for input without one. */
  #typist: object | null = null

  /** Whether earlier input waits. */
  #waits = false

  /** `type` passes input to the program; false: enough input waits there. */
  constructor(type: (data: Uint8Array) => boolean) {
    this.#type = type
  }

  /**
   * Call only for a viewer that has control. False: enough input waits; go on when `Viewer.drained` is called.
   */
  write(data: Uint8Array, typist: object): boolean {
    // Not earlier: if a typist loses control during a paste, more of it may arrive until another person types.
    if (typist !== this.#typist) this.#endPaste()
    this.#typist = typist
    return this.#saw(data)
  }

  /** Types for the session's user without a viewer. False: earlier input waits, so this was not typed. */
  type(data: Uint8Array): boolean {
    if (this.#waits) return false
    this.write(data, this)
    return true
  }

  /** No input waits any more. */
  drained(): void {
    this.#waits = false
  }

  left(viewer: object): void {
    if (viewer !== this.#typist) return
    this.#endPaste()
    this.#typist = null
  }

  /** Its rest never comes. Without an end, the program would count the next keys as part of the paste. */
  #endPaste(): void {
    const missing = this.#bracket.missing()
    if (missing) this.#saw(missing)
  }

  #saw(data: Uint8Array): boolean {
    this.#bracket.saw(data)
    this.#waits = !this.#type(data)
    return !this.#waits
  }
}
