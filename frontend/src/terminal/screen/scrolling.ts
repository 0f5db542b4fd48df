import type { Terminal } from '@xterm/xterm'

/** Of xterm.js 5.5.0, which package.json pins. */
interface Core {
  /** `isScrolled`: told by the scrollbar, and not asked for by a program or a key. */
  scrollLines(lines: number, isScrolled?: boolean, ...rest: unknown[]): void
  readonly viewport: { readonly _viewportElement: HTMLElement }
  readonly _inputHandler: { eraseInDisplay(params: { readonly params: readonly number[] }): boolean }
}
const coreOf = (terminal: Terminal): Core => (terminal as unknown as { readonly _core: Core })._core
/** Of `CSI J`: what is above the screen, and nothing of the screen. */
const SCROLLED_AWAY = 3

/** How far a scrollbar may be from its end and still be there: browsers round, in CSS pixels. */
const END_PX = 1

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean =>
  scrollTop + clientHeight >= scrollHeight - END_PX

/**
 * Keeps a view whose scrollbar is at its end at the end of the output. The browser itself moves a scrollbar that has become too short
 * for where it was, since lines are gone or the window has grown, and tells so a frame later. xterm.js 5.5 takes that for a person's
 * wish, and counts from where the output is by then:
 *
 * - If it went on meanwhile, the view stays behind, and follows no more.
 * - If the terminal was reset meanwhile, by the page or by a program (`ESC c`), nobody knows how high a row is. 0 / 0 lines are
 *   scrolled: no line is the uppermost one, renderers throw at each frame, and the screen is blank until a line scrolls away.
 *
 * Call it when the terminal is open.
 */
export function stayAtTheEnd(terminal: Terminal): void {
  const core = coreOf(terminal)
  const { _viewportElement: element } = core.viewport
  const scrollLines = core.scrollLines.bind(core)
  core.scrollLines = (lines, isScrolled, ...rest) => {
    const { baseY, viewportY } = terminal.buffer.active
    const isNoWish = Number.isNaN(lines) || (isScrolled === true && lines < 0 && isAtEnd(element))
    scrollLines(isNoWish ? baseY - viewportY : lines, isScrolled, ...rest)
  }
}

/**
 * Drops what has scrolled away, as `CSI 3 J` of a program does. It is not written, since the output may be in the middle of a sequence
 * or a letter, which that would break.
 */
export function dropScrolledAway(terminal: Terminal): void {
  // Whoever looks at what is dropped follows the output again.
  terminal.scrollToBottom()
  coreOf(terminal)._inputHandler.eraseInDisplay({ params: [SCROLLED_AWAY] })
}
