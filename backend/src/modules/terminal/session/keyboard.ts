/** What people type into one program, one of them at a time. */
import { Bracket } from '../../../runtime/bracket.ts'
import type { Viewer } from './viewer.ts'

export class Keyboard {
  readonly #type: (data: Uint8Array) => boolean
  readonly #bracket = new Bracket()
  /** Who typed last, while they are there. */
  #typist: Viewer | null = null

  /** `type` gives it to the program; false: enough is waiting there. */
  constructor(type: (data: Uint8Array) => boolean) {
    this.#type = type
  }

  /** Of somebody who may. False: enough input is waiting; go on when {@link Viewer.drained} is called. */
  write(data: Uint8Array, typist: Viewer): boolean {
    // Not sooner: of a paste that was cut off when its typist lost control more may be on its way until somebody else types.
    if (typist !== this.#typist) this.#endPaste()
    this.#typist = typist
    return this.#saw(data)
  }

  left(viewer: Viewer): void {
    if (viewer !== this.#typist) return
    this.#endPaste()
    this.#typist = null
  }

  /** Nobody sends the rest of it, and its program would take the next keys for that. */
  #endPaste(): void {
    const missing = this.#bracket.missing()
    if (missing) this.#saw(missing)
  }

  #saw(data: Uint8Array): boolean {
    this.#bracket.saw(data)
    return this.#type(data)
  }
}
