/** The end of a text that grows line by line: the last words of a CLI are its answer. */
import { EVENT_TEXT_MAX } from '@slipway/protocol'

export class Tail {
  #text = ''
  #isCut = false

  add(line: string): void {
    this.#text += `${line}\n`
    // Not at each line, because cutting copies the text.
    if (this.#text.length > 2 * EVENT_TEXT_MAX) this.#cut()
  }

  /** At most {@link EVENT_TEXT_MAX} code units, without blank lines at the end. Null if there is nothing else. */
  get text(): string | null {
    if (this.#text.length > EVENT_TEXT_MAX) this.#cut()
    const text = this.#text.trimEnd()
    if (text === '') return null
    return this.#isCut ? `…${text}` : text
  }

  #cut(): void {
    this.#isCut = true
    // Not between two halves of a character.
    this.#text = this.#text.slice(1 - EVENT_TEXT_MAX).replace(/^[\uDC00-\uDFFF]/, '')
  }
}
