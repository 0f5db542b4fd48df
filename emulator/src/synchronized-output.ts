import type { IDisposable, Terminal } from '@xterm/headless'

/** The private mode of synchronized output: https://github.com/contour-terminal/vt-extensions/blob/master/synchronized-output.md. */
const MODE = 2026
/** Longest time that a program may hold back its frame, in milliseconds. It may have crashed within one. */
export const FRAME_MAX_MS = 1000

type Params = readonly (number | number[])[]

/** Whether the program is drawing a frame, which must not be shown before it is complete. */
export class SynchronizedOutput {
  /** When the frame began; null: there is none. */
  #since: number | null = null
  readonly #handlers: readonly IDisposable[]
  readonly #hear: (isHeld: boolean) => void
  readonly #now: () => number

  /** `hear` is called when a frame begins, before any of it takes effect, and when it ends. */
  constructor(terminal: Terminal, hear: (isHeld: boolean) => void = () => undefined, now = () => performance.now()) {
    this.#hear = hear
    this.#now = now
    const { parser } = terminal
    const ends = (): boolean => {
      this.reset()
      return false
    }
    const whereAsked = (act: () => void) => (params: Params) => {
      if (params.includes(MODE)) act()
      // The sequence may set other modes, too.
      return false
    }
    this.#handlers = [
      parser.registerCsiHandler(
        { prefix: '?', final: 'h' },
        whereAsked(() => this.#begin()),
      ),
      parser.registerCsiHandler(
        { prefix: '?', final: 'l' },
        whereAsked(() => this.reset()),
      ),
      parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, (params) => {
        if (params[0] !== MODE) return false
        terminal.input(`\x1b[?${MODE};${this.isHeld ? 1 : 2}$y`, false)
        return true
      }),
      // A full reset and a soft one. xterm does its own part of them.
      parser.registerEscHandler({ final: 'c' }, ends),
      parser.registerCsiHandler({ intermediates: '!', final: 'p' }, ends),
    ]
  }

  get isHeld(): boolean {
    return this.#since !== null && this.#now() - this.#since < FRAME_MAX_MS
  }

  /** The output that gives another emulator the same state. */
  restoring(): string {
    return this.isHeld ? `\x1b[?${MODE}h` : ''
  }

  /** The frame is complete, has taken too long, or belongs to a program that has ended. */
  reset(): void {
    if (this.#since === null) return
    this.#since = null
    this.#hear(false)
  }

  dispose(): void {
    for (const handler of this.#handlers) handler.dispose()
  }

  #begin(): void {
    if (this.isHeld) return
    this.#since = this.#now()
    this.#hear(true)
  }
}
