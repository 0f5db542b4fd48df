/** Finds what a model says again after its answer broke off. */
import { EVENT_TEXT_MAX } from '@slipway/protocol'

/**
 * If the connection breaks in the middle of an answer, CLIs ask the model again and print the next answer from its
 * beginning. The pieces that repeat the last answer are left out. An answer that is longer than an event is told again.
 */
export class Repeats {
  /** The answer so far. */
  #told = ''
  /** The answer that broke off; empty if the present one does not repeat it, or has passed its end. */
  #before = ''
  /** The pieces of the present answer that are left out so far. */
  #repeated = ''

  /** What is new in the next piece of an answer. */
  next(piece: string): string {
    if (this.#told.length <= EVENT_TEXT_MAX) this.#told += piece
    if (this.#before === '') return piece
    this.#repeated += piece
    if (this.#before.startsWith(this.#repeated)) return ''
    const isLonger = this.#repeated.startsWith(this.#before)
    const rest = isLonger ? this.#repeated.slice(this.#before.length) : this.#repeated
    this.#forget()
    return rest
  }

  /** The answer broke off, and the next piece begins it again. */
  broken(): void {
    // It may break off again before it has come as far.
    if (this.#before === '' && this.#told.length <= EVENT_TEXT_MAX) this.#before = this.#told
    this.#told = ''
    this.#repeated = ''
  }

  /** The answer is complete. */
  complete(): void {
    this.#told = ''
    this.#forget()
  }

  #forget(): void {
    this.#before = ''
    this.#repeated = ''
  }
}
