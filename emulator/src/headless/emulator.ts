/**
 * An emulator without a display, with the same state as the one in the browser. Also exposes what xterm.js 5.5 hides
 * behind its public interface.
 */
import headless, { type IBufferCell, type IBufferLine, type Terminal } from '@xterm/headless'
import { KeyboardProtocol } from '../keyboard-protocol.ts'
import { mendEmulator } from '../mend.ts'
import { EMULATOR_OPTIONS } from '../options.ts'
import { ProgramStatus } from '../program-status.ts'
import type { Size } from '../size.ts'
import { SynchronizedOutput } from '../synchronized-output.ts'
import { EmojiMode } from '../widths/emoji-mode.ts'

/** A link that a program attached to its text (OSC 8). */
export interface Link {
  readonly uri: string
  readonly id?: string
}

/** The look of a character, in the packed bits of xterm.js. */
export interface Attributes {
  readonly fg: number
  readonly bg: number
  /** Valid only if `bg` has the bit {@link Bits.extended}. */
  readonly extended: {
    /** Style and colour of the underline, packed. */
    readonly _ext: number
    readonly urlId: number
  }
}
export type Cell = IBufferCell & Attributes

/** The packed bits (xterm.js 5.5.0, common/buffer/Constants.ts). */
export const Bits = {
  colour: 0x00ffffff,
  mode: 0x03000000,
  mode16: 0x01000000,
  mode256: 0x02000000,
  modeRgb: 0x03000000,
  /** In `fg`. */
  inverse: 0x04000000,
  bold: 0x08000000,
  underline: 0x10000000,
  blink: 0x20000000,
  invisible: 0x40000000,
  strikethrough: 0x80000000,
  /** In `bg`. */
  italic: 0x04000000,
  dim: 0x08000000,
  extended: 0x10000000,
  protected: 0x20000000,
  overline: 0x40000000,
} as const

/** The three numbers of a cell are its content, `fg` and `bg` (xterm.js 5.5.0, common/buffer/BufferLine.ts). */
export const CELL_NUMBERS = 3
export const Content = {
  /** Its character, if that is a single code point; 0: none. */
  codePoint: 0x1fffff,
  /** Its character has combining marks, and is kept elsewhere. */
  combined: 0x200000,
  widthShift: 22,
} as const

/** The raw cells of a line. This is a hundred times as fast as to ask for each. */
export const cellsOf = (line: IBufferLine): Uint32Array =>
  (line as unknown as { readonly _line: { readonly _data: Uint32Array } })._line._data

type Charset = Readonly<Record<string, string>> | undefined

/** Private mode of a blinking cursor (att610). */
const CURSOR_BLINKS = 12

/** One of the two screens. */
export interface Screen {
  readonly savedX: number
  /** Counted from the oldest line. */
  readonly savedY: number
  readonly savedCurAttrData: Attributes
  readonly savedCharset: Charset
  readonly ybase: number
  readonly scrollTop: number
  readonly scrollBottom: number
  readonly tabs: Readonly<Record<number, boolean>>
}

/** Internals of xterm.js 5.5.0, which package.json pins. A test covers each of them by its use. */
interface Core {
  readonly buffers: { readonly normal: Screen; readonly alt: Screen }
  readonly coreService: { readonly isCursorHidden: boolean }
  readonly coreMouseService: { readonly activeEncoding: string }
  readonly _charsetService: {
    readonly glevel: number
    readonly charset: Charset
    readonly _charsets: readonly Charset[]
  }
  readonly _oscLinkService: { getLinkData(id: number): Link | undefined }
  readonly _inputHandler: {
    readonly _curAttrData: Cell
    readonly _windowTitle: string
    /** 0: between sequences. */
    readonly _parser: { readonly currentState: number; readonly precedingJoinState: number }
    /** The bytes of an incomplete character. */
    readonly _utf8Decoder: { readonly interim: Uint8Array }
  }
}

export interface Emulator {
  readonly terminal: Terminal
  readonly core: Core
  readonly keyboard: KeyboardProtocol
  /** How it counts columns. */
  readonly emoji: EmojiMode
  /** The status that its program reports. */
  readonly status: ProgramStatus
  /** Whether its program is drawing a frame. */
  readonly synchronized: SynchronizedOutput
  /** The cursor's shape that the program set, as in DECSCUSR; null: none. */
  readonly cursorShape: () => number | null
  /** Whether the cursor blinks, if the program set that separately from its shape; null: it did not. */
  readonly cursorBlinks: () => boolean | null
}

export const createEmulator = ({ cols, rows }: Size): Emulator => {
  const terminal = new headless.Terminal({ ...EMULATOR_OPTIONS, cols, rows })
  const emoji = new EmojiMode(terminal)
  mendEmulator(terminal)
  const keyboard = new KeyboardProtocol(terminal.parser, () => terminal.buffer.active.type)
  const status = new ProgramStatus(terminal.parser)
  const synchronized = new SynchronizedOutput(terminal)
  let shape: number | null = null
  let blinks: boolean | null = null
  terminal.parser.registerCsiHandler({ intermediates: ' ', final: 'q' }, ([asked]) => {
    shape = typeof asked === 'number' ? asked : null
    // A shape also sets whether the cursor blinks.
    blinks = null
    return false
  })
  for (const final of ['h', 'l'])
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(CURSOR_BLINKS)) blinks = final === 'h'
      return false
    })
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  const cursor = { cursorShape: () => shape, cursorBlinks: () => blinks }
  return { terminal, core, keyboard, emoji, status, synchronized, ...cursor }
}
