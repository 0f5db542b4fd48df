import { createAnsiSequenceParser, type Color } from 'ansi-sequence-parser'
import { withDirectionsInSight } from '../format/directions.ts'

/** A part of a line in one style. `colour` is a name from the terminal's palette, or `#rrggbb`. */
export interface Piece {
  text: string
  colour: string | null
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
}

/** Titles, links and other string sequences (OSC, DCS, APC, PM, SOS), up to their terminator or the end of the line. */
// eslint-disable-next-line no-control-regex
const STRINGS = /[\x1b][\]PX^_].*?(?:[\x07]|[\x1b]\\|$)/gs
/** All other sequences except those for styles (SGR). */
// eslint-disable-next-line no-control-regex
const SEQUENCES = /[\x1b](?:\[[0-?]*[ -/]*[@-ln-~]|\[[0-?]*[ -/]+m|[ -/]+[0-~]|[0-Z\\^-~])/g
/** Remaining control characters, except tabs and the escape of a style. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f-\x9f]|[\x1b](?!\[[0-9;:]*m)/g

/**
 * A line as text with styles only. Text that a program overwrote (a progress bar's carriage returns) is gone, as on a
 * screen.
 */
export function cleaned(raw: string): string {
  const text = raw.replace(STRINGS, '').replace(SEQUENCES, '')
  const drawn = text.split('\r').findLast((part) => part !== '') ?? ''
  return withDirectionsInSight(drawn.replace(CONTROLS, ''))
}

const LEVELS = [0, 95, 135, 175, 215, 255]
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

const hex = (rgb: readonly number[]): string =>
  `#${rgb.map((part) => Math.min(255, Math.max(0, part)).toString(16).padStart(2, '0')).join('')}`

function colourOf(colour: Color | null): string | null {
  if (colour === null) return null
  if (colour.type === 'named') return colour.name
  if (colour.type === 'rgb') return colour.rgb.every(Number.isInteger) ? hex(colour.rgb) : null
  const { index } = colour
  if (index < 8) return NAMES[index] ?? null
  if (index < 16) return `bright${NAMES[index - 8]?.replace(/^./, (letter) => letter.toUpperCase())}`
  if (index > 255 || !Number.isInteger(index)) return null
  if (index >= 232) return hex(Array.from({ length: 3 }, () => 8 + (index - 232) * 10))
  const at = index - 16
  return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) => LEVELS[level] ?? 0))
}

/** The pieces of a line. A style ends with its line. Text with the "hidden" style is shown: a log hides nothing. */
export function piecesOf(raw: string): Piece[] {
  return createAnsiSequenceParser()
    .parse(cleaned(raw))
    .map(({ value, foreground, decorations }) => ({
      text: value,
      colour: colourOf(foreground),
      bold: decorations.has('bold'),
      dim: decorations.has('dim'),
      italic: decorations.has('italic'),
      underline: decorations.has('underline'),
    }))
    .filter((piece) => piece.text !== '')
}

/** Offsets of `needle` in `text`, ignoring case. Matches do not overlap. */
export function matchesIn(text: string, needle: string): number[] {
  const found: number[] = []
  if (needle === '') return found
  const haystack = text.toLowerCase()
  const wanted = needle.toLowerCase()
  for (let at = haystack.indexOf(wanted); at !== -1; at = haystack.indexOf(wanted, at + wanted.length)) found.push(at)
  return found
}

/** A piece, or part of a piece, inside or outside a match. */
export interface MarkedPiece extends Piece {
  /** Index of its match in the line; null outside matches. */
  match: number | null
}

/** Splits the pieces at the edges of matches. `starts` comes from {@link matchesIn}. */
export function marked(pieces: readonly Piece[], starts: readonly number[], length: number): MarkedPiece[] {
  if (starts.length === 0) return pieces.map((piece) => ({ ...piece, match: null }))
  const cuts = starts.flatMap((start) => [start, start + length])
  const result: MarkedPiece[] = []
  let offset = 0
  for (const piece of pieces) {
    const end = offset + piece.text.length
    const inside = cuts.filter((cut) => cut > offset && cut < end)
    let from = offset
    for (const to of [...inside, end]) {
      const match = starts.findIndex((start) => from >= start && from < start + length)
      const text = piece.text.slice(from - offset, to - offset)
      if (text !== '') result.push({ ...piece, text, match: match === -1 ? null : match })
      from = to
    }
    offset = end
  }
  return result
}
