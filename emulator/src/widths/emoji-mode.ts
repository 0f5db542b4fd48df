import type { IDisposable, IUnicodeVersionProvider, Terminal } from '@xterm/headless'
import { propertiesOf, wcwidth, type Counting } from './widths.ts'

/** The private mode of grapheme clusters: https://github.com/contour-terminal/terminal-unicode-core. */
const MODE = 2027

/** Under which xterm.js keeps ours. */
const VERSION = 'slipway'

type Params = readonly (number | number[])[]

/**
 * Gives an emulator its widths. An emoji of several characters takes two columns, as the coding CLIs count. A program that counts each
 * character, as a shell does while its command line is edited, resets mode 2027 for as long.
 */
export class EmojiMode {
  #counting: Counting = 'emoji'
  readonly #handlers: readonly IDisposable[]

  constructor(terminal: Terminal) {
    const provider: IUnicodeVersionProvider = {
      version: VERSION,
      wcwidth,
      charProperties: (codePoint: number, preceding: number) => propertiesOf(codePoint, preceding, this.#counting),
    }
    terminal.unicode.register(provider)
    terminal.unicode.activeVersion = VERSION
    const { parser } = terminal
    const counts = (counting: Counting) => (params: Params) => {
      if (params.includes(MODE)) this.#counting = counting
      // Others may be set along with it.
      return false
    }
    const ends = (): boolean => {
      this.reset()
      return false
    }
    this.#handlers = [
      parser.registerCsiHandler({ prefix: '?', final: 'h' }, counts('emoji')),
      parser.registerCsiHandler({ prefix: '?', final: 'l' }, counts('characters')),
      parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, (params) => {
        if (params[0] !== MODE) return false
        terminal.input(`\x1b[?${MODE};${this.#counting === 'emoji' ? 1 : 2}$y`, false)
        return true
      }),
      // A full reset and a soft one; xterm does its own part of them.
      parser.registerEscHandler({ final: 'c' }, ends),
      parser.registerCsiHandler({ intermediates: '!', final: 'p' }, ends),
    ]
  }

  get counting(): Counting {
    return this.#counting
  }

  /** What to write to another emulator for it to know the same. */
  restoring(): string {
    return this.#counting === 'emoji' ? '' : COUNT_CHARACTERS
  }

  /** Another program begins. */
  reset(): void {
    this.#counting = 'emoji'
  }

  dispose(): void {
    for (const handler of this.#handlers) handler.dispose()
  }
}

/** Where it is set already, it only keeps what comes from joining what was before. */
export const COUNT_EMOJI = `\x1b[?${MODE}h`
export const COUNT_CHARACTERS = `\x1b[?${MODE}l`
