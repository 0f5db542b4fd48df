/** Escape sequences for the attributes of characters. */
import { type Attributes, Bits, type Link } from './emulator.ts'

const UNDERLINE_STYLE_SHIFT = 26
const UNDERLINE_STYLE_MASK = 7
const PLAIN_UNDERLINE = 1 << UNDERLINE_STYLE_SHIFT
const UNDERLINE_COLOUR = Bits.mode | Bits.colour

/** Style and colour of the underline; 0: none. */
export const underlineOf = ({ fg, bg, extended }: Attributes): number => {
  if (!(fg & Bits.underline)) return 0
  const ext = bg & Bits.extended ? extended._ext : 0
  const style = ext & (UNDERLINE_STYLE_MASK << UNDERLINE_STYLE_SHIFT) || PLAIN_UNDERLINE
  const colour = ext & UNDERLINE_COLOUR
  // In xterm.js all bits set mean the colour of the character.
  return style | (colour === UNDERLINE_COLOUR ? 0 : colour)
}

/** The number of its link; 0: none. */
export const linkOf = ({ bg, extended }: Attributes): number => (bg & Bits.extended ? extended.urlId : 0)

/** Begins a link for the text that follows. */
export const linkStart = ({ uri, id }: Link): string => `\x1b]8;${id === undefined ? '' : `id=${id}`};${uri}\x1b\\`
export const LINK_END = '\x1b]8;;\x1b\\'

/** Whether two have the same attributes, apart from links. */
export const isAlike = (one: Attributes, other: Attributes): boolean =>
  (one.fg ^ other.fg) === 0 && ((one.bg ^ other.bg) & ~Bits.extended) === 0 && underlineOf(one) === underlineOf(other)

/** Whether it has only a background, like an erased cell. */
export const isErased = (cell: Attributes): boolean => cell.fg === 0 && (cell.bg & ~(Bits.mode | Bits.colour)) === 0

/** Sets all attributes, whatever was set before. */
export const lookOf = (cell: Attributes): string => {
  const { fg, bg } = cell
  const codes: (number | string)[] = [0]
  if (fg & Bits.bold) codes.push(1)
  if (bg & Bits.dim) codes.push(2)
  if (bg & Bits.italic) codes.push(3)
  if (fg & Bits.underline) codes.push(...underline(underlineOf(cell)))
  if (fg & Bits.blink) codes.push(5)
  if (fg & Bits.inverse) codes.push(7)
  if (fg & Bits.invisible) codes.push(8)
  if (fg & Bits.strikethrough) codes.push(9)
  if (bg & Bits.overline) codes.push(53)
  codes.push(...colour(fg, 30), ...colour(bg, 40))
  const protection = bg & Bits.protected ? '\x1b[1"q' : ''
  return `\x1b[${codes.length === 1 ? '' : codes.join(';')}m${protection}`
}

const rgb = (packed: number): number[] => [(packed >>> 16) & 0xff, (packed >>> 8) & 0xff, packed & 0xff]

/** The first 16 colours have two kinds of sequences, and one of these is brighter in bold. */
const colour = (packed: number, base: 30 | 40): number[] => {
  const index = packed & 0xff
  switch (packed & Bits.mode) {
    case Bits.mode16:
      return [index < 8 ? base + index : base + 60 + index - 8]
    case Bits.mode256:
      return [base + 8, 5, index]
    case Bits.modeRgb:
      return [base + 8, 2, ...rgb(packed)]
    default:
      return []
  }
}

const underline = (ext: number): (number | string)[] => {
  const style = (ext >>> UNDERLINE_STYLE_SHIFT) & UNDERLINE_STYLE_MASK
  const first = style > 1 ? `4:${style}` : 4
  switch (ext & Bits.mode) {
    case Bits.mode16:
    case Bits.mode256:
      return [first, `58:5:${ext & 0xff}`]
    case Bits.modeRgb:
      return [first, `58:2::${rgb(ext).join(':')}`]
    default:
      return [first]
  }
}
