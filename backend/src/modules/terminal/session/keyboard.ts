/** The input that people type into one program. One of them types at a time. */
import { Bracket } from '../../../runtime/bracket.ts'
import type { Viewer } from './viewer.ts'

export class Keyboard {
  readonly #type: (data: Uint8Array) => boolean
  readonly #bracket = new Bracket()
  /** The viewer that typed last, until it leaves. */
  #typist: Viewer | null = null

  /** `type` passes input to the program; false: enough input waits there. */
  constructor(type: (data: Uint8Array) => boolean) {
    this.#type = type
  }

  /**
   * Call only for a viewer that has control. False: enough input waits; go on when {@link Viewer.drained} is called.
   */
  write(data: Uint8Array, typist: Viewer): boolean {
    // Not earlier: if a typist loses control during a paste, more of it may arrive until another person types.
    if (typist !== this.#typist) this.#endPaste()
    this.#typist = typist
    return this.#saw(data)
  }

  left(viewer: Viewer): void {
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
    return this.#type(data)
  }
}
