import { COLS_MAX, ROWS_MAX } from '@slipway/protocol'
import { EmojiMode, EMULATOR_OPTIONS, KeyboardProtocol, mendEmulator } from '@slipway/emulator'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { AttentionWatch, type HearAttention } from '../programs/attention.ts'
import type { Size } from '../session/frames.ts'
import { pathOfFileUrl } from '../links/files.ts'
import { atFirstClick, openWebLink } from '../links/open.ts'
import { WebLinks } from '../links/web.ts'
import { fittingFont } from './fitting.ts'
import { applyLook, optionsOf, type Look } from './look.ts'
import { MATCHES_MAX, type Matches } from './matches.ts'
import { shownText } from '../programs/notices.ts'
import { mendOptionKey } from '../input/optionKey.ts'
import { Painting } from './painting.ts'
import { Renderer, type RendererName } from './renderer.ts'
import { dropScrolledAway, stayAtTheEnd } from './scrolling.ts'
import { mendSelecting } from '../input/selecting.ts'
import { answerStatusQuery } from '../programs/statusQuery.ts'
import { MATCH_COLOURS } from './theme.ts'
import { hearInput } from '../input/typed.ts'

/**
 * Written when the program has ended: switches off mouse reports, focus reports, bracketed paste and an open frame, and
 * hides the cursor.
 */
const PROGRAM_GONE = '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?2026l\x1b[?25l'

/** How much of a program's title is read, in UTF-16 code units. A title may be megabytes long. */
const TITLE_MAX = 1000

export interface ScreenOptions {
  look: Look
  /**
   * The user's input by keyboard, paste or mouse, or, with `isAnswer`, the emulator's answer to a query in the output.
   */
  onInput: (bytes: Uint8Array, isAnswer: boolean) => void
  /** The program's title, as one short line. The program chooses it, so show it as plain text only. */
  onTitle: (title: string) => void
  /** False keeps a key from the program. */
  onKey: (event: KeyboardEvent) => boolean
  onRenderer: (name: RendererName) => void
  /** The user clicked a link to a file in the container. */
  onFile: (path: string) => void
  /** The user clicked the address of a server in the container. */
  onAgentAddress: (address: string) => void
  onMatches: (found: Matches) => void
}

/** The emulator with its addons, in one element. It does not know about sockets. */
export class Screen {
  readonly terminal: Terminal
  /** The keyboard protocol that the program has requested. */
  readonly keyboard: KeyboardProtocol
  #look: Look
  /** The text of the current search. */
  #searched: string | null = null
  #attention: AttentionWatch | null = null
  /** The program's size while another participant has control. */
  #followed: Size | null = null
  #isGone = false
  readonly #fit = new FitAddon()
  readonly #search = new SearchAddon({ highlightLimit: MATCHES_MAX + 1 })
  readonly #renderer: Renderer
  readonly #painting: Painting
  readonly #emoji: EmojiMode
  readonly #container: HTMLElement
  readonly #options: Pick<ScreenOptions, 'onFile' | 'onAgentAddress'>

  constructor(container: HTMLElement, options: ScreenOptions) {
    this.#container = container
    this.#options = options
    this.#look = options.look
    this.terminal = new Terminal({
      ...EMULATOR_OPTIONS,
      cursorBlink: true,
      ...optionsOf(options.look),
      // A symbol of another font may be wider than its cell.
      rescaleOverlappingGlyphs: true,
      smoothScrollDuration: 0,
      // Links that a program marks (OSC 8) follow the same rules as links found in its text. Those to files on the
      // program's machine lead into the agent's home. Links with other schemes do not open.
      linkHandler: { activate: atFirstClick((text) => this.#open(text)), allowNonHttpProtocols: true },
    })
    this.terminal.loadAddon(this.#fit)
    this.terminal.loadAddon(this.#search)
    this.terminal.registerLinkProvider(new WebLinks(this.terminal, (text) => this.#open(text)))
    this.#emoji = new EmojiMode(this.terminal)
    this.keyboard = new KeyboardProtocol(this.terminal.parser, () => this.terminal.buffer.active.type)
    this.terminal.attachCustomKeyEventHandler(options.onKey)
    hearInput(this.terminal, options.onInput)
    this.terminal.onTitleChange((title) => options.onTitle(shownText(title.slice(0, TITLE_MAX)) ?? ''))
    mendEmulator(this.terminal)
    mendOptionKey(this.terminal)
    answerStatusQuery(this.terminal)
    this.#search.onDidChangeResults((found) =>
      options.onMatches({ index: found.resultIndex, count: found.resultCount }),
    )
    this.terminal.open(container)
    stayAtTheEnd(this.terminal)
    mendSelecting(this.terminal)
    this.#painting = new Painting(this.terminal)
    this.#renderer = new Renderer(this.terminal, container, options.onRenderer)
    // For browser tests and debugging: only the element gives access to the buffer.
    Object.defineProperty(container, 'xterm', { value: this.terminal, configurable: true })
  }

  #open(text: string): void {
    const path = pathOfFileUrl(text)
    if (path === null) openWebLink(text, this.#options.onAgentAddress)
    else this.#options.onFile(path)
  }

  get size(): Size {
    return { cols: this.terminal.cols, rows: this.terminal.rows }
  }

  /** The buffer's cell at a position of the window. Both coordinates count from 1, like links. */
  cellAt(clientX: number, clientY: number): { x: number; y: number } {
    const { cols, rows, buffer, element } = this.terminal
    const { left, top, width, height } = element!.querySelector('.xterm-screen')!.getBoundingClientRect()
    return {
      x: Math.floor(((clientX - left) * cols) / width) + 1,
      y: Math.floor(((clientY - top) * rows) / height) + 1 + buffer.active.viewportY,
    }
  }

  write(bytes: Uint8Array, consumed: () => void): void {
    this.terminal.write(bytes, consumed)
  }

  /** Runs a function after all earlier output is on the screen, and before later output. */
  inOrder(act: () => void): void {
    this.terminal.write('', () => {
      if (!this.#isGone) act()
    })
  }

  /** Sets the size that a snapshot was drawn for. The next fit returns to the element's size. */
  resize({ cols, rows }: Size): void {
    this.terminal.resize(cols, rows)
  }

  /** Shows a program of the given size as large as the element allows. Null returns to the element's size. */
  follow(size: Size | null): void {
    this.#followed = size
    this.#container.classList.toggle('terminal-followed', size !== null)
    if (size !== null) this.resize(size)
    else this.terminal.options.fontSize = this.#look.fontSize
  }

  /** Prepares for a new program. */
  clear(): void {
    this.#empty()
    this.#attention?.begin()
  }

  /** Prepares for the screen of a running program, drawn for that size. Call {@link redrawn} when it is complete. */
  redraw(size: Size): void {
    this.#empty()
    this.#attention?.redraw()
    this.resize(size)
  }

  redrawn(): void {
    this.#attention?.redrawn()
  }

  #empty(): void {
    this.terminal.reset()
    this.#painting.synchronized.reset()
    this.keyboard.reset()
    this.#emoji.reset()
  }

  /** Whether there is scrollback. A program that uses the whole screen has none. */
  get hasScrolledAway(): boolean {
    return this.terminal.buffer.active.baseY > 0
  }

  /** Only on this page: the program gets no notice, and the server keeps its copy. */
  dropScrolledAway(): void {
    dropScrolledAway(this.terminal)
  }

  /** Keeps the screen readable and copyable after its program has ended. */
  retire(): void {
    this.terminal.write(PROGRAM_GONE)
    this.keyboard.reset()
    this.#attention?.reset()
  }

  /** Reports requests for attention in the output. */
  listenForAttention(hear: HearAttention): void {
    this.#attention?.dispose()
    this.#attention = new AttentionWatch(this.terminal, hear)
  }

  /** Columns and rows that fit at the present font size. Null while the element is hidden or has no size. */
  #room(): Size | null {
    if (this.#container.clientWidth === 0 || this.#container.clientHeight === 0) return null
    const proposed = this.#fit.proposeDimensions()
    return proposed !== undefined && proposed.cols > 2 && proposed.rows > 1 ? proposed : null
  }

  /** Scales the font to the program's size. */
  #scaleTo(size: Size): void {
    const { options } = this.terminal
    // Cells are whole device pixels: a first guess, a better one, and one step back.
    for (let tries = 0; tries < 3; tries += 1) {
      const room = this.#room()
      if (room === null) return
      const fitting = fittingFont(options.fontSize!, room, size, this.#look.fontSize)
      if (fitting === options.fontSize) return
      options.fontSize = fitting
    }
  }

  /**
   * Fits the emulator to its element. Null if that gives the program no size: another participant's size is shown, or
   * the element is hidden.
   */
  fit(): Size | null {
    if (this.#followed !== null) {
      this.#scaleTo(this.#followed)
      return null
    }
    const proposed = this.#room()
    if (proposed === null) return null
    const cols = Math.min(proposed.cols, COLS_MAX)
    const rows = Math.min(proposed.rows, ROWS_MAX)
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows)
    return { cols, rows }
  }

  setLook(look: Look): void {
    this.#look = look
    applyLook(this.terminal, look)
    if (this.#searched === null) return
    // Existing marks keep the colours of the old theme, which may be unreadable in the new one.
    this.#search.clearDecorations()
    this.find(this.#searched, 'typing')
  }

  /** Whether Option on a Mac acts as Meta, instead of typing the character of the keyboard's layout. */
  setOptionIsMeta(isMeta: boolean): void {
    this.terminal.options.macOptionIsMeta = isMeta
  }

  /** Whether the screen is also in the page's accessibility tree, with announcements of new output. */
  setScreenReader(isUsed: boolean): void {
    this.terminal.options.screenReaderMode = isUsed
  }

  setVisible(visible: boolean): Promise<void> {
    return this.#renderer.setVisible(visible)
  }

  /**
   * Goes to the next match of `text`, or with `back` to the previous one. `typing` stays at the present match if it
   * still fits.
   */
  find(text: string, direction: 'next' | 'back' | 'typing'): void {
    if (text === '') {
      this.endSearch()
      return
    }
    this.#searched = text
    const colours = MATCH_COLOURS[this.#look.theme.shade]
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
    this.#searched = null
    this.#search.clearDecorations()
    this.terminal.clearSelection()
  }

  dispose(): void {
    this.#isGone = true
    this.#renderer.dispose()
    this.#painting.dispose()
    this.keyboard.dispose()
    this.#emoji.dispose()
    this.#attention?.dispose()
    this.terminal.dispose()
  }
}
