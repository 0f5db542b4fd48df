/** The readable text of a terminal's output: without sequences, in the pieces in which the program drew it. */

/** One piece: a line, or text drawn at one position of the screen. */
export interface TextPiece {
  readonly text: string
  /** Index of the event that ended it. */
  readonly event: number
}

/** Longest piece, in characters. No terminal's line is longer; text without an end is cut here. */
const PIECE_MAX = 4096

type State = 'text' | 'escape' | 'sequence' | 'string' | 'string-escape'

/** Final bytes of sequences that move the cursor to other text. */
const MOVES = 'ABEFGHIZ`abdefr'

/** Reads one event after another. A sequence may span two events. */
export class PlainText {
  readonly pieces: TextPiece[] = []
  #state: State = 'text'
  #parameters = ''
  #text = ''

  feed(data: string, event: number): void {
    for (const character of data) {
      if (this.#state === 'text') this.#read(character, event)
      else this.#skip(character, event)
    }
  }

  /** Ends the last piece, which has no line end. */
  finish(event: number): void {
    this.#cut(event)
  }

  #read(character: string, event: number): void {
    const code = character.codePointAt(0) ?? 0
    if (code === 0x1b) this.#state = 'escape'
    else if (code === 0x08) this.#text = this.#text.slice(0, -1)
    else if (code === 0x09) this.#text += ' '
    else if (code < 0x20) this.#controlled(code, event)
    else if (code >= 0x7f && code < 0xa0) return
    else this.#append(character, event)
  }

  #controlled(code: number, event: number): void {
    if (code === 0x0a || code === 0x0d) this.#cut(event)
  }

  #append(text: string, event: number): void {
    this.#text += text
    if (this.#text.length >= PIECE_MAX) this.#cut(event)
  }

  #skip(character: string, event: number): void {
    switch (this.#state) {
      case 'escape':
        this.#parameters = ''
        this.#state = character === '[' ? 'sequence' : ']PX^_'.includes(character) ? 'string' : 'text'
        // In a sequence that selects a character set, one more character follows.
        if (' #%()*+-./'.includes(character)) this.#state = 'escape'
        return
      case 'sequence':
        if (character >= '@' && character <= '~') this.#ended(character, event)
        else if (this.#parameters.length < 64) this.#parameters += character
        return
      case 'string':
        if (character === '\u0007') this.#state = 'text'
        else if (character === '\u001b') this.#state = 'string-escape'
        return
      case 'string-escape':
        this.#state = character === '\\' ? 'text' : 'string'
        return
      case 'text':
    }
  }

  #ended(final: string, event: number): void {
    this.#state = 'text'
    // Programs that draw move over blanks instead of printing them.
    if (final === 'C') this.#append(' '.repeat(Math.min(80, Number(this.#parameters) || 1)), event)
    else if (MOVES.includes(final)) this.#cut(event)
  }

  #cut(event: number): void {
    const text = this.#text.trimEnd()
    if (text !== '') this.pieces.push({ text, event })
    this.#text = ''
  }
}
