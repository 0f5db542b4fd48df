/**
 * Finds the lines of a flood that later lines scroll out of everything that is kept. An emulator need not parse them.
 * To parse them would cost more than all other work on them, and would change nothing.
 */
import type { Emulator } from './emulator.ts'

/** Fewer bytes than this are not worth the search. */
const WORTH_BYTES = 16_384
/**
 * Most attribute sequences that may apply to the first parsed line. If there are more since the last reset, nothing is
 * skimmed.
 */
const LOOKS_MAX = 200
/** Longest incomplete sequence for whose end the search waits, in bytes. */
const LOOK_BYTES = 64

const ESCAPE = 0x1b
const BRACKET = 0x5b
const NEW_LINE = 0x0a
const RETURN = 0x0d
/** First byte of U+0080 to U+00BF in UTF-8, so a control character may follow (U+0080 to U+009F). */
const C1_LEAD = 0xc2

/**
 * Bytes that may do more than write characters, or move the cursor within its line or to the next one: the beginnings
 * of sequences, and the switches between character sets. Of the other control characters, xterm.js 5.5 handles only
 * backspace, tab, line feeds and return.
 */
const SIGNS = [ESCAPE, 0x0e, 0x0f, C1_LEAD]

/** Parse `bytes` up to `head`, then `looks`, then `bytes` from `tail` on. */
export interface Skimmed {
  readonly head: number
  readonly looks: Uint8Array
  readonly tail: number
}

/** Whether lines leave its screen at the top, and no sequence or character is incomplete. */
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

/**
 * Leaves out lines that `lines` later ones follow. The input may only write lines, and its emulator must allow it
 * ({@link canSkim}). Null: it is not worth it.
 */
export const skim = (plain: Buffer, lines: number): Skimmed | null => {
  const head = plain.indexOf(NEW_LINE) + 1
  if (head === 0 || plain.length - head < WORTH_BYTES) return null
  const tail = lineBefore(plain, lines)
  if (tail - head < WORTH_BYTES) return null
  const looks = looksAt(plain, head, tail)
  return looks && { head, looks, tail }
}

/**
 * Finds the first sequence at or after `from` that may do more than write lines. `isOpen`: this depends on later bytes.
 */
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

/** The end of the character or attribute sequence at `from`; null: it is something else. */
const endOfPlain = (bytes: Uint8Array, from: number): number | null => {
  const second = bytes[from + 1]!
  if (bytes[from] === C1_LEAD) return second >= 0xa0 && second <= 0xbf ? from + 2 : null
  return endOfLook(bytes, from)
}

/** Whether the bytes end within a sequence at `from` that may turn out to only write lines. */
const isBeginning = (bytes: Uint8Array, from: number): boolean => {
  const rest = bytes.subarray(from, from + LOOK_BYTES)
  if (from + rest.length < bytes.length) return false
  if (rest.length === 1) return rest[0] === C1_LEAD || rest[0] === ESCAPE
  return rest[0] === ESCAPE && rest[1] === BRACKET && rest.subarray(2).every((byte) => byte >= 0x30 && byte <= 0x3b)
}

/** The end of a sequence that sets attributes (SGR) or erases in a line (EL); null: it is neither. */
const endOfLook = (bytes: Uint8Array, from: number): number | null => {
  if (bytes[from] !== ESCAPE || bytes[from + 1] !== BRACKET) return null
  let at = from + 2
  // Digits, colons and semicolons.
  while (bytes[at]! >= 0x30 && bytes[at]! <= 0x3b) at += 1
  return bytes[at] === 0x6d || bytes[at] === 0x4b ? at + 1 : null
}

/** The beginning of the last line, in the first column, that at least so many line feeds follow; 0: none. */
const lineBefore = (bytes: Buffer, lines: number): number => {
  let at = bytes.length
  for (let left = lines; at > 0; left -= 1) {
    at = bytes.lastIndexOf(NEW_LINE, at - 1)
    if (at < 1) return 0
    if (left <= 0 && bytes[at - 1] === RETURN) return at + 1
  }
  return 0
}

/** All SGR sequences in between, from the last one with a reset on; null: there are too many. */
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
