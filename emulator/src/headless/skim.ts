/**
 * What an emulator need not be told of a flood: lines that what follows scrolls out of everything that is kept. Parsing them would cost
 * more than all else that is done with them, and change nothing.
 */
import type { Emulator } from './emulator.ts'

/** Less is not worth the look, in bytes. */
const WORTH_BYTES = 16_384
/** Looked at for how the first line that is parsed again looks; with more of them since the last reset nothing is skimmed. */
const LOOKS_MAX = 200
/** The longest that is waited for when it breaks off, in bytes. */
const LOOK_BYTES = 64

const ESCAPE = 0x1b
const BRACKET = 0x5b
const NEW_LINE = 0x0a
const RETURN = 0x0d
/** As UTF-8 begins with it, a control character may follow (U+0080 to U+009F). */
const C1_LEAD = 0xc2

/**
 * What may do more than to write letters, or to move the cursor in its line or to the next: sequences, and the switches between sets of
 * letters. Of the other control characters xterm.js 5.5 acts on backspace, tab, the line feeds and return only.
 */
const SIGNS = [ESCAPE, 0x0e, 0x0f, C1_LEAD]

/** `bytes` from 0 to `head` and from `tail` on are to be parsed, with `looks` in between. */
export interface Skimmed {
  readonly head: number
  readonly looks: Uint8Array
  readonly tail: number
}

/** Whether lines that leave the screen of it do so at its top, and what comes next begins a sequence of its own. */
export const canSkim = ({ terminal, core }: Emulator): boolean => {
  const { scrollTop, scrollBottom } = core.buffers.normal
  const { _parser, _utf8Decoder } = core._inputHandler
  return (
    terminal.buffer.active.type === 'normal' &&
    scrollTop === 0 &&
    scrollBottom === terminal.rows - 1 &&
    _parser.currentState === 0 &&
    _utf8Decoder.interim[0] === 0
  )
}

/** Leaves out what `lines` later ones follow, of what only writes lines to an emulator that {@link canSkim}; null where that is little. */
export const skim = (plain: Buffer, lines: number): Skimmed | null => {
  const head = plain.indexOf(NEW_LINE) + 1
  if (head === 0 || plain.length - head < WORTH_BYTES) return null
  const tail = lineBefore(plain, lines)
  if (tail - head < WORTH_BYTES) return null
  const looks = looksAt(plain, head, tail)
  return looks && { head, looks, tail }
}

/** Where the first thing at or after `from` begins that may do more than to write lines; `isOpen`: what it is depends on what comes. */
export const plainEnd = (bytes: Buffer, from: number): { end: number; isOpen: boolean } => {
  const find = (sign: number, from: number): number => {
    const at = bytes.indexOf(sign, from)
    return at < 0 ? bytes.length : at
  }
  const next = SIGNS.map((sign) => find(sign, from))
  for (;;) {
    const end = Math.min(...next)
    if (end === bytes.length) return { end, isOpen: true }
    const after = endOfPlain(bytes, end)
    if (after === null) return { end, isOpen: isBeginning(bytes, end) }
    const which = next.indexOf(end)
    next[which] = find(SIGNS[which]!, after)
  }
}

/** After the letter or look that begins there; null: it is something else. */
const endOfPlain = (bytes: Uint8Array, from: number): number | null => {
  const second = bytes[from + 1]!
  if (bytes[from] === C1_LEAD) return second >= 0xa0 && second <= 0xbf ? from + 2 : null
  return endOfLook(bytes, from)
}

/** Whether what begins there breaks off where the bytes end, and may become something that only writes lines. */
const isBeginning = (bytes: Uint8Array, from: number): boolean => {
  const rest = bytes.subarray(from, from + LOOK_BYTES)
  if (from + rest.length < bytes.length) return false
  if (rest.length === 1) return rest[0] === C1_LEAD || rest[0] === ESCAPE
  return rest[0] === ESCAPE && rest[1] === BRACKET && rest.subarray(2).every((byte) => byte >= 0x30 && byte <= 0x3b)
}

/** After a sequence that sets how letters look (SGR), or erases in a line (EL); null: there is none. */
const endOfLook = (bytes: Uint8Array, from: number): number | null => {
  if (bytes[from] !== ESCAPE || bytes[from + 1] !== BRACKET) return null
  let at = from + 2
  // Digits, colons and semicolons.
  while (bytes[at]! >= 0x30 && bytes[at]! <= 0x3b) at += 1
  return bytes[at] === 0x6d || bytes[at] === 0x4b ? at + 1 : null
}

/** Where a line begins, in the first column, after which there are so many line feeds; 0: nowhere. */
const lineBefore = (bytes: Buffer, lines: number): number => {
  let at = bytes.length
  for (let left = lines; at > 0; left -= 1) {
    at = bytes.lastIndexOf(NEW_LINE, at - 1)
    if (at < 1) return 0
    if (left <= 0 && bytes[at - 1] === RETURN) return at + 1
  }
  return 0
}

/** Every SGR in between since the last that begins with a reset; null: too many. */
const looksAt = (bytes: Buffer, from: number, to: number): Uint8Array | null => {
  const found: Uint8Array[] = []
  for (let at = bytes.lastIndexOf(ESCAPE, to - 1); at >= from; at = bytes.lastIndexOf(ESCAPE, at - 1)) {
    const end = endOfLook(bytes, at)!
    if (bytes[end - 1] !== 0x6d) continue
    found.unshift(bytes.subarray(at, end))
    const [first, second] = bytes.subarray(at + 2, end)
    const isReset = first === 0x6d || (first === 0x30 && (second === 0x6d || second === 0x3b))
    if (isReset) break
    if (found.length > LOOKS_MAX) return null
  }
  return Buffer.concat(found)
}
