import { COLS_MAX, ROWS_MAX } from '@slipway/protocol'
import { EMULATOR_OPTIONS, KeyboardProtocol, mendEmulator } from '@slipway/emulator'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Unicode11Addon } from '@xterm/addon-unicode11'
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

/** Switches mouse reports, focus reports, bracketed paste and an open frame off and hides the cursor: its program is gone. */
const PROGRAM_GONE = '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?2026l\x1b[?25l'

/** As much of a program's title as is looked at, in UTF-16 code units: it may be megabytes long. */
const TITLE_MAX = 1000

export interface ScreenOptions {
  look: Look
  /** What was typed, pasted, clicked, or, `isAnswer`, answered by the emulator to what the output asks. */
  onInput: (bytes: Uint8Array, isAnswer: boolean) => void
  /** The program's title, as one short line: text of its choice, only ever shown as text. */
  onTitle: (title: string) => void
  /** False keeps a key from the program. */
  onKey: (event: KeyboardEvent) => boolean
  onRenderer: (name: RendererName) => void
  /** A person clicked on a link to a file in the container. */
  onFile: (path: string) => void
  /** They clicked on the address of a server in the container. */
  onAgentAddress: (address: string) => void
  onMatches: (found: Matches) => void
}

/** The emulator with what belongs to it, in one element. Knows nothing of sockets. */
export class Screen {
  readonly terminal: Terminal
  /** What the program has asked of the keyboard. */
  readonly keyboard: KeyboardProtocol
  #look: Look
  /** What is searched for now. */
  #searched: string | null = null
  #attention: AttentionWatch | null = null
  /** The size of a program that somebody else controls. */
  #followed: Size | null = null
  #isGone = false
  readonly #fit = new FitAddon()
  readonly #search = new SearchAddon({ highlightLimit: MATCHES_MAX + 1 })
  readonly #renderer: Renderer
  readonly #painting: Painting
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
      // A symbol of another font may be wider than a cell.
      rescaleOverlappingGlyphs: true,
      smoothScrollDuration: 0,
      // Links that a program marked as such (OSC 8) obey the same rule as those found in its text; those to files of
      // its own machine are the agent's. Nothing else is opened, whatever its scheme.
      linkHandler: { activate: atFirstClick((text) => this.#open(text)), allowNonHttpProtocols: true },
    })
    this.terminal.loadAddon(this.#fit)
    this.terminal.loadAddon(this.#search)
    this.terminal.registerLinkProvider(new WebLinks(this.terminal, (text) => this.#open(text)))
    this.terminal.loadAddon(new Unicode11Addon())
    this.terminal.unicode.activeVersion = '11'
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
    // For browser tests and for debugging: the buffer can be read from the element, and from nowhere else.
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

  /** The cell of the buffer at a place of the window, both counted from 1, as links are. */
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

  /** Does something when all that was written before is on the screen, and before what is written after. */
  inOrder(act: () => void): void {
    this.terminal.write('', () => {
      if (!this.#isGone) act()
    })
  }

  /** To the size that something was drawn for; the next fit brings it back to that of its element. */
  resize({ cols, rows }: Size): void {
    this.terminal.resize(cols, rows)
  }

  /** Shows a program of that size, as large as its element allows, instead of giving it the element's; null: not any more. */
  follow(size: Size | null): void {
    this.#followed = size
    this.#container.classList.toggle('terminal-followed', size !== null)
    if (size !== null) this.resize(size)
    else this.terminal.options.fontSize = this.#look.fontSize
  }

  /** Ready for a new program. */
  clear(): void {
    this.#empty()
    this.#attention?.begin()
  }

  /** Ready for what is on the screen of a program that goes on, as drawn for that size; {@link redrawn} when it is there. */
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
  }

  /** Whether there is anything above the screen; a program that takes all of it has nothing there. */
  get hasScrolledAway(): boolean {
    return this.terminal.buffer.active.baseY > 0
  }

  /** Only here: the program hears nothing of it, and the server has it still. */
  dropScrolledAway(): void {
    dropScrolledAway(this.terminal)
  }

  /** Leaves what is on the screen to be read and copied, though its program is gone. */
  retire(): void {
    this.terminal.write(PROGRAM_GONE)
    this.keyboard.reset()
    this.#attention?.reset()
  }

  /** Tells what in the output asks a person to look. */
  listenForAttention(hear: HearAttention): void {
    this.#attention?.dispose()
    this.#attention = new AttentionWatch(this.terminal, hear)
  }

  /** Where letters of the present size have room. Null while the element is hidden or without a size. */
  #room(): Size | null {
    if (this.#container.clientWidth === 0 || this.#container.clientHeight === 0) return null
    const proposed = this.#fit.proposeDimensions()
    return proposed !== undefined && proposed.cols > 2 && proposed.rows > 1 ? proposed : null
  }

  /** Fits the letters to the size that the program has. */
  #scaleTo(size: Size): void {
    const { options } = this.terminal
    // Cells are whole pixels of the device: a guess, a better one, and a step back from that.
    for (let tries = 0; tries < 3; tries += 1) {
      const room = this.#room()
      if (room === null) return
      const fitting = fittingFont(options.fontSize!, room, size, this.#look.fontSize)
      if (fitting === options.fontSize) return
      options.fontSize = fitting
    }
  }

  /** Fits the emulator to its element. Null where that gives no size for a program: another's is shown, or the element is hidden. */
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
    // What is marked already keeps its colours, in which nobody could read it any more.
    this.#search.clearDecorations()
    this.find(this.#searched, 'typing')
  }

  /** Whether Option on a Mac is Meta for the program, instead of typing what its keyboard says. */
  setOptionIsMeta(isMeta: boolean): void {
    this.terminal.options.macOptionIsMeta = isMeta
  }

  /** Whether what is on the screen is also in the page's accessibility tree, and announced when it comes. */
  setScreenReader(isUsed: boolean): void {
    this.terminal.options.screenReaderMode = isUsed
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
    this.#attention?.dispose()
    this.terminal.dispose()
  }
}
