/** Escape sequences for the lines of one screen, written to an emulator whose screen is empty and whose looks are plain. */
import type { IBuffer, IBufferLine } from '@xterm/headless'
import { type Attributes, Bits, CELL_NUMBERS, type Cell, cellsOf, Content, type Link } from './emulator.ts'
import { isAlike, isErased, LINK_END, linkOf, linkStart, lookOf } from './looks.ts'

/** How nothing looks. */
export const PLAIN: Attributes = { fg: 0, bg: 0, extended: { _ext: 0, urlId: 0 } }

/** Columns of lines that are written without a break: some milliseconds of work. */
const SLICE_COLS = 16_000
/** A letter under a heap of marks, of more UTF-16 code units than this, is written without them: one may have millions. */
const LETTER_MAX = 64

/** What a link's number stands for; null: nothing any more. */
export type FindLink = (id: number) => Link | null

interface Page {
  readonly buffer: IBuffer
  readonly cols: number
  /** Of an emulator with one row the cursor cannot go up to a line that has wrapped. */
  readonly rows: number
  readonly findLink: FindLink
  /** Letters alone, without looks, links and marks. */
  readonly isBare: boolean
}

/** Lines `first` to `last`, both counted from the oldest that is kept. Of them the oldest are left out where all take more than `room` bytes. */
interface Part {
  readonly first: number
  readonly last: number
  readonly room: number
  /** So many of the newest are left out in no case. */
  readonly least: number
}

/** A line with what leads to the next one, in bytes, and what is set where it begins. */
interface Written {
  readonly text: string
  readonly bytes: number
  readonly look: Attributes
  readonly link: number
}

/** Writes lines one after the other. The cursor ends somewhere in the last one. */
export class LineWriter {
  readonly #page: Page
  readonly #cell: Cell
  readonly #letters: Buffer
  /** Of the line that is being written, and how many bytes they are. */
  #pieces: string[] = []
  #bytes = 0
  #look: Attributes = PLAIN
  #link = 0
  /** The column in which the next letter would go. */
  #x = 0

  constructor(page: Page) {
    this.#page = page
    this.#cell = page.buffer.getNullCell() as Cell
    this.#letters = Buffer.alloc(2 * page.cols)
  }

  /** It stops now and then; the lines have to stay as they are meanwhile. Null: there is no room for the least of them. */
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

  /** To the line below, or out of the last one. */
  #leave(row: number, last: number): void {
    const { buffer } = this.#page
    const [line, next] = [buffer.getLine(row)!, row < last ? buffer.getLine(row + 1)! : null]
    if (next?.isWrapped && this.#wrapsByItself(line, next)) return
    this.#setLink(0)
    if (next) this.#nextLine(next.isWrapped, line)
    else this.#setLook(PLAIN)
  }

  /** Where the next letter is too wide for what is left of the line, writing it is enough. */
  #wrapsByItself(line: IBufferLine, next: IBufferLine): boolean {
    const { cols } = this.#page
    const head = next.getCell(0, this.#cell) as Cell
    // The new line would be filled with the background of what is written.
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
      // Only a letter that does not fit makes a line wrap: one more than there is room for, and away with them again.
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
      // Without width: the second half of a wide letter that is gone.
      const width = Math.max(cell.getWidth(), 1)
      const letters = cell.getWidth() === 0 ? '' : letterOf(cell, isBare)
      if (letters === '' && isErased(cell)) {
        if (cell.bg !== 0 && !isBare) x += this.#erase(line, x) - 1
        continue
      }
      this.#goTo(x)
      this.#setLook(cell)
      this.#setLink(linkOf(cell))
      // xterm.js may leave the first half of a wide letter in the last column when the width changes; nobody can write that.
      if (letters === '' || x + width > cols) this.#push(' ')
      else this.#push(letters, bytesOf(letters))
      this.#x = Math.min(x + width, cols)
      // Its second half, whatever that is by now.
      x += width - 1
      if (width === 1 && (cell.bg & Bits.extended) === 0) x += this.#writeAlike(cells, x)
    }
  }

  /** Writes the ordinary letters that follow column `from` and look exactly as what is there. Answers how many there were. */
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
    this.#x = x
    return count
  }

  /** Gives as many columns their background as have the same. */
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

  /** What is neither a letter nor a link has as many bytes as code units. */
  #push(text: string, bytes = text.length): void {
    this.#pieces.push(text)
    this.#bytes += bytes
  }
}

/** What a cell shows; `isBare`: without the marks upon it, as where they are too many. */
export const letterOf = (cell: Cell, isBare: boolean): string => {
  const letters = cell.getChars()
  if (letters.length <= (isBare ? 1 : LETTER_MAX)) return letters
  return String.fromCodePoint(letters.codePointAt(0)!)
}

const bytesOf = (text: string): number => (text.length === 1 && text < '\x80' ? 1 : Buffer.byteLength(text))

/** Whether a cell is as it was before anything was written to it. */
const isNothing = (cells: Uint32Array, x: number): boolean => {
  const at = x * CELL_NUMBERS
  return (cells[at]! & (Content.codePoint | Content.combined)) === 0 && cells[at + 1] === 0 && cells[at + 2] === 0
}

/** The number of a letter that takes one column, and one unit of UTF-16; 0: it is none. */
const ordinaryLetter = (content: number): number => {
  const letter = content & Content.codePoint
  return content >>> Content.widthShift === 1 && (content & Content.combined) === 0 && letter <= 0xffff ? letter : 0
}
