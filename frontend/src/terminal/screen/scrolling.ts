import type { Terminal } from '@xterm/xterm'

/** Internals of xterm.js 5.5.0, which package.json pins. */
interface Core {
  /** `isScrolled`: the scrollbar scrolled, not a program or a key. */
  scrollLines(lines: number, isScrolled?: boolean, ...rest: unknown[]): void
  readonly viewport: { readonly _viewportElement: HTMLElement }
  readonly _inputHandler: { eraseInDisplay(params: { readonly params: readonly number[] }): boolean }
}
const coreOf = (terminal: Terminal): Core => (terminal as unknown as { readonly _core: Core })._core
/** Parameter of `CSI J` for the scrollback above the screen, without the screen. */
const SCROLLED_AWAY = 3

/** How far from its end a scrollbar still counts as at the end, in CSS pixels. Browsers round. */
const END_PX = 1

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean =>
  scrollTop + clientHeight >= scrollHeight - END_PX

/**
 * Keeps a view at the end of the output if its scrollbar is at its end. When lines are dropped or the window grows, the
 * browser moves a scrollbar that has become too short, and reports it one frame later. xterm.js 5.5 takes that for the
 * user's scrolling, and counts from the position that the output has by then:
 *
 * - If there was new output meanwhile, the view stays behind, and no longer follows.
 * - If the page or a program (`ESC c`) reset the terminal meanwhile, the height of a row is unknown. The terminal
 *   scrolls 0 / 0 lines: no line is the first, renderers throw at each frame, and the screen is blank until a line
 *   scrolls out.
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
 * Drops the scrollback, as `CSI 3 J` does. It is not written as a sequence, because the output may be in the middle of
 * another sequence or character.
 */
export function dropScrolledAway(terminal: Terminal): void {
  // If the user looks at dropped lines, the view follows the output again.
  terminal.scrollToBottom()
  coreOf(terminal)._inputHandler.eraseInDisplay({ params: [SCROLLED_AWAY] })
}
