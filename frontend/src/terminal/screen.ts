import { COLS_MAX, ROWS_MAX } from '@slipway/protocol'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { bytesOfBinary, bytesOfText, type Size } from './frames.ts'
import { openWebLink } from './links.ts'
import { Renderer, type RendererName } from './renderer.ts'
import { MATCH_COLOURS, MINIMUM_CONTRAST, TERMINAL_THEMES, type Shade } from './theme.ts'

/** Lines kept above the screen. */
export const SCROLLBACK_LINES = 10_000
const FONT_FAMILY = '"JetBrains Mono Variable", ui-monospace, Menlo, Consolas, monospace'

/** Switches mouse reports, focus reports and bracketed paste off and hides the cursor: its program is gone. */
const PROGRAM_GONE = '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?25l'

export interface ScreenOptions {
  shade: Shade
  fontSize: number
  /** What was typed, pasted, clicked, or answered by the emulator. */
  onInput: (bytes: Uint8Array) => void
  /** The program's title: text of its choice, only ever shown as text. */
  onTitle: (title: string) => void
  /** False keeps a key from the program. */
  onKey: (event: KeyboardEvent) => boolean
  onRenderer: (name: RendererName) => void
  onMatches: (found: { index: number; count: number }) => void
}

/** The emulator with what belongs to it, in one element. Knows nothing of sockets. */
export class Screen {
  readonly terminal: Terminal
  #shade: Shade
  readonly #fit = new FitAddon()
  readonly #search = new SearchAddon({ highlightLimit: 1000 })
  readonly #renderer: Renderer
  readonly #container: HTMLElement

  constructor(container: HTMLElement, options: ScreenOptions) {
    this.#container = container
    this.#shade = options.shade
    this.terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: true,
      fontFamily: FONT_FAMILY,
      fontSize: options.fontSize,
      lineHeight: 1.2,
      scrollback: SCROLLBACK_LINES,
      smoothScrollDuration: 0,
      macOptionIsMeta: true,
      theme: TERMINAL_THEMES[options.shade],
      minimumContrastRatio: MINIMUM_CONTRAST[options.shade],
      // Links that a program marked as such (OSC 8) obey the same rule as those found in its text.
      linkHandler: { activate: (_event, text) => openWebLink(text) },
    })
    this.terminal.loadAddon(this.#fit)
    this.terminal.loadAddon(this.#search)
    this.terminal.loadAddon(new WebLinksAddon((_event, text) => openWebLink(text)))
    this.terminal.loadAddon(new Unicode11Addon())
    this.terminal.unicode.activeVersion = '11'
    this.terminal.attachCustomKeyEventHandler(options.onKey)
    this.terminal.onData((text) => options.onInput(bytesOfText(text)))
    this.terminal.onBinary((data) => options.onInput(bytesOfBinary(data)))
    this.terminal.onTitleChange(options.onTitle)
    this.#search.onDidChangeResults((found) =>
      options.onMatches({ index: found.resultIndex, count: found.resultCount }),
    )
    this.terminal.open(container)
    this.#renderer = new Renderer(this.terminal, container, options.onRenderer)
    // For browser tests and for debugging: the buffer can be read from the element, and from nowhere else.
    Object.defineProperty(container, 'xterm', { value: this.terminal, configurable: true })
  }

  get size(): Size {
    return { cols: this.terminal.cols, rows: this.terminal.rows }
  }

  write(bytes: Uint8Array, consumed: () => void): void {
    this.terminal.write(bytes, consumed)
  }

  /** Ready for a new program. */
  clear(): void {
    this.terminal.reset()
  }

  /** Leaves what is on the screen to be read and copied, though its program is gone. */
  retire(): void {
    this.terminal.write(PROGRAM_GONE)
  }

  /** Fits the emulator to its element. Null while that is hidden or without a size, which is no size for a program. */
  fit(): Size | null {
    if (this.#container.clientWidth === 0 || this.#container.clientHeight === 0) return null
    const proposed = this.#fit.proposeDimensions()
    if (proposed === undefined || !(proposed.cols > 2) || !(proposed.rows > 1)) return null
    const cols = Math.min(proposed.cols, COLS_MAX)
    const rows = Math.min(proposed.rows, ROWS_MAX)
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows)
    return { cols, rows }
  }

  setShade(shade: Shade): void {
    this.#shade = shade
    this.terminal.options.theme = TERMINAL_THEMES[shade]
    this.terminal.options.minimumContrastRatio = MINIMUM_CONTRAST[shade]
  }

  setVisible(visible: boolean): Promise<void> {
    return this.#renderer.setVisible(visible)
  }

  /** Goes to the next hit of `text`, or with `back` to the one before; `typing` stays on the present one if it still fits. */
  find(text: string, direction: 'next' | 'back' | 'typing'): void {
    if (text === '') {
      this.endSearch()
      return
    }
    const colours = MATCH_COLOURS[this.#shade]
    const decorations = {
      matchBackground: colours.match,
      activeMatchBackground: colours.active,
      matchOverviewRuler: colours.match,
      activeMatchColorOverviewRuler: colours.active,
    }
    if (direction === 'back') this.#search.findPrevious(text, { decorations })
    else this.#search.findNext(text, { decorations, incremental: direction === 'typing' })
  }

  endSearch(): void {
    this.#search.clearDecorations()
    this.terminal.clearSelection()
  }

  dispose(): void {
    this.#renderer.dispose()
    this.terminal.dispose()
  }
}
