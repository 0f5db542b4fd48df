/** Writes the lines of one screen as escape sequences, for an emulator with an empty screen and plain attributes. */
import type { IBuffer, IBufferLine } from '@xterm/headless'
import { type Attributes, Bits, CELL_NUMBERS, type Cell, cellsOf, Content, type Link } from './emulator.ts'
import { inOneCell, LETTER_MAX, SEPARATE } from './letters.ts'
import { isAlike, isErased, LINK_END, linkOf, linkStart, lookOf } from './looks.ts'
import { cellOf, isOpen, joins, propertiesOf } from '../widths/widths.ts'

/** The attributes of an empty cell. */
export const PLAIN: Attributes = { fg: 0, bg: 0, extended: { _ext: 0, urlId: 0 } }

/** Columns that are written in one go, which takes some milliseconds. */
const SLICE_COLS = 16_000

/** Looks up a link by its number; null: it does not exist any more. */
export type FindLink = (id: number) => Link | null

interface Page {
  readonly buffer: IBuffer
  readonly cols: number
  /** With a single row, the cursor cannot move up to a line that has wrapped. */
  readonly rows: number
  readonly findLink: FindLink
  /** Write only characters, without attributes, links and combining marks. */
  readonly isBare: boolean
}

/** Lines `first` to `last`, counted from the oldest. If they take more than `room` bytes, the oldest are left out. */
interface Part {
  readonly first: number
  readonly last: number
  readonly room: number
  /** Number of newest lines that must not be left out. */
  readonly least: number
}

/** A written line with the way to the next one, and the attributes and the link at its beginning. */
interface Written {
  readonly text: string
  readonly bytes: number
  readonly look: Attributes
  readonly link: number
}

/** Writes lines in sequence. The cursor ends somewhere in the last one. */
export class LineWriter {
  readonly #page: Page
  readonly #cell: Cell
  readonly #letters: Buffer
  /** The parts of the current line, and their size in bytes. */
  #pieces: string[] = []
  #bytes = 0
  #look: Attributes = PLAIN
  #link = 0
  /** What the next character could join; 0: nothing. */
  #joining = 0
  /** The column of the next character. */
  #x = 0

  constructor(page: Page) {
    this.#page = page
    this.#cell = page.buffer.getNullCell() as Cell
    this.#letters = Buffer.alloc(2 * page.cols)
  }

  /** Pauses now and then; the lines must not change meanwhile. Null: there is no room for the `least` newest lines. */
  *write({ first, last, room, least }: Part): Generator<void, string | null> {
    const { buffer, cols } = this.#page
    const slice = Math.ceil(SLICE_COLS / cols)
    const kept: Written[] = []
    let bytes = 0
    for (let row = first; row <= last; row++) {
      if ((row - first) % slice === slice - 1) yield
      const { look, link } = { look: this.#look, link: this.#link }
      this.#x = 0
      this.#writeLine(buffer.getLine(row)!)
      this.#leave(row, last)
      kept.push({ text: this.#pieces.join(''), bytes: this.#bytes, look, link })
      bytes += this.#bytes
      this.#pieces = []
      this.#bytes = 0
      while (bytes > room && kept.length > 0) bytes -= kept.shift()!.bytes
      if (row - kept.length > last - least) return null
    }
    if (kept[0]) {
      this.#setLook(kept[0].look)
      this.#setLink(kept[0].link)
    }
    return [...this.#pieces, ...kept.map(({ text }) => text)].join('')
  }

  /** Moves to the line below, or finishes the last one. */
  #leave(row: number, last: number): void {
    const { buffer } = this.#page
    const [line, next] = [buffer.getLine(row)!, row < last ? buffer.getLine(row + 1)! : null]
    if (next?.isWrapped && this.#wrapsByItself(line, next)) return
    this.#setLink(0)
    if (next) this.#nextLine(next.isWrapped, line)
    else this.#setLook(PLAIN)
  }

  /** True if the next character does not fit into the rest of the line, so that writing it wraps the line. */
  #wrapsByItself(line: IBufferLine, next: IBufferLine): boolean {
    const { cols } = this.#page
    const head = next.getCell(0, this.#cell) as Cell
    // The new line would be filled with the current background.
    if (head.getChars() === '' || (head.bg & (Bits.mode | Bits.colour)) !== 0) return false
    if (this.#x === cols) return true
    if (this.#x !== cols - 1 || head.getWidth() < 2) return false
    const { fg, bg, extended } = head
    const look = { fg, bg, extended }
    return isAlike(line.getCell(cols - 1, this.#cell) as Cell, look)
  }

  #nextLine(isWrapped: boolean, line: IBufferLine): void {
    const { cols, rows } = this.#page
    const isFull = this.#x === cols
    this.#setLook(PLAIN)
    if (!isWrapped || (!isFull && rows === 1)) this.#push('\r\n')
    else if (isFull) this.#push('x\r\x1b[X')
    else {
      // A line wraps only by a character that does not fit. So write one too many, and erase both.
      const tail = line.getCell(cols - 1, this.#cell) as Cell
      const { fg, bg, extended } = tail
      this.#push(`\x1b[${cols}Gxx\x1b[A\x1b[${cols}G`)
      this.#setLook({ fg, bg, extended })
      this.#push(isErased({ fg, bg, extended }) ? '\x1b[X' : ' ')
      this.#setLook(PLAIN)
      this.#push('\x1b[B\r\x1b[X')
    }
  }

  #writeLine(line: IBufferLine): void {
    const { cols, isBare } = this.#page
    const cell = this.#cell
    const cells = cellsOf(line)
    for (let x = 0; x < Math.min(cols, line.length); x++) {
      if (isNothing(cells, x)) continue
      line.getCell(x, cell)
      // Width 0: the second half of a wide character whose first half is gone.
      const width = Math.max(cell.getWidth(), 1)
      const letters = cell.getWidth() === 0 ? '' : letterOf(cell, isBare)
      if (letters === '' && isErased(cell)) {
        if (cell.bg !== 0 && !isBare) x += this.#erase(line, x) - 1
        continue
      }
      this.#goTo(x)
      this.#setLook(cell)
      this.#setLink(linkOf(cell))
      // After a change of width, xterm.js may have the first half of a wide character in the last column. That cannot
      // be written.
      if (letters === '' || x + width > cols) this.#push(' ')
      else this.#pushLetters(letters, width)
      this.#x = Math.min(x + width, cols)
      // Its second half, whatever is there by now.
      x += width - 1
      if (width === 1 && (cell.bg & Bits.extended) === 0 && !isOpen(this.#joining)) x += this.#writeAlike(cells, x)
    }
  }

  /** Writes the ordinary characters from column `from` on that have the current attributes. Returns their number. */
  #writeAlike(cells: Uint32Array, from: number): number {
    const until = Math.min(this.#page.cols, cells.length / CELL_NUMBERS)
    const [fg, bg] = [cells[from * CELL_NUMBERS + 1], cells[from * CELL_NUMBERS + 2]]
    let [x, bytes] = [from + 1, 0]
    for (; x < until; x += 1) {
      const at = x * CELL_NUMBERS
      const letter = ordinaryLetter(cells[at]!)
      if (letter === 0 || cells[at + 1] !== fg || cells[at + 2] !== bg) break
      this.#letters.writeUInt16LE(letter, 2 * (x - from - 1))
      bytes += letter < 0x80 ? 1 : letter < 0x800 ? 2 : 3
    }
    const count = x - from - 1
    if (count === 0) return 0
    this.#push(this.#letters.toString('utf16le', 0, 2 * count), bytes)
    this.#joining = propertiesOf(this.#letters.readUInt16LE(2 * (count - 1)), 0, 'emoji')
    this.#x = x
    return count
  }

  /** Writes the background of adjacent columns with the same one. Returns their number. */
  #erase(line: IBufferLine, from: number): number {
    const { bg } = this.#cell
    this.#goTo(from)
    this.#setLink(0)
    this.#setLook(this.#cell)
    let count = 1
    while (from + count < this.#page.cols) {
      const cell = line.getCell(from + count, this.#cell) as Cell
      if (cell.getChars() !== '' || cell.getWidth() === 0 || cell.bg !== bg || !isErased(cell)) break
      count += 1
    }
    this.#push(`\x1b[${count}X`)
    return count
  }

  #goTo(x: number): void {
    if (this.#x !== x) this.#push(`\x1b[${x + 1}G`)
    this.#x = x
  }

  #setLook(look: Attributes): void {
    if (this.#page.isBare || isAlike(look, this.#look)) return
    this.#look = { fg: look.fg, bg: look.bg, extended: look.extended }
    this.#push(lookOf(look))
  }

  #setLink(id: number): void {
    if (this.#page.isBare || id === this.#link) return
    this.#link = id
    const link = id === 0 ? null : this.#page.findLink(id)
    const text = link ? linkStart(link) : LINK_END
    this.#push(text, bytesOf(text))
  }

  #pushLetters(letters: string, width: number): void {
    if (joins(propertiesOf(letters.codePointAt(0)!, this.#joining, 'emoji'))) this.#push(SEPARATE)
    const text = inOneCell(letters, width)
    this.#push(text, bytesOf(text))
    this.#joining = text === letters ? (cellOf(letters, 'emoji') ?? 0) : 0
  }

  /** Text other than characters and links has as many bytes as code units. */
  #push(text: string, bytes = text.length): void {
    this.#pieces.push(text)
    this.#bytes += bytes
    this.#joining = 0
  }
}

/** The character of a cell. With `isBare`, or if there are too many, without its combining marks. */
export const letterOf = (cell: Cell, isBare: boolean): string => {
  const letters = cell.getChars()
  if (letters.length <= (isBare ? 1 : LETTER_MAX)) return letters
  return String.fromCodePoint(letters.codePointAt(0)!)
}

const bytesOf = (text: string): number => (text.length === 1 && text < '\x80' ? 1 : Buffer.byteLength(text))

/** Whether nothing was ever written to a cell. */
const isNothing = (cells: Uint32Array, x: number): boolean => {
  const at = x * CELL_NUMBERS
  return (cells[at]! & (Content.codePoint | Content.combined)) === 0 && cells[at + 1] === 0 && cells[at + 2] === 0
}

/** The code of a character that takes one column and one UTF-16 unit; 0: it is not such a one. */
const ordinaryLetter = (content: number): number => {
  const letter = content & Content.codePoint
  return content >>> Content.widthShift === 1 && (content & Content.combined) === 0 && letter <= 0xffff ? letter : 0
}
