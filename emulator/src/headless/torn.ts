/** Handles output whose beginning is missing: decides which part of the rest an emulator gets. */
import type { Emulator } from './emulator.ts'
import { canSkim } from './skim.ts'

/** Readable output has the beginning of a line or a sequence within so many bytes. */
const LOOK_BYTES = 4096

const ESCAPE = 0x1b
const NEW_LINE = 0x0a

/** Ends any sequence or character that was begun before the gap (CAN). */
export const CANCEL = '\x18'

/** The text that marks a gap; empty on a screen that a program draws. */
export const gapIn = (emulator: Emulator): string =>
  canSkim(emulator) ? '\r\n\x1b[0;2m[some output is missing here]\x1b[0m\r\n' : ''

/** The output from the next sequence or line on. Before that, the rest of an incomplete sequence would show as text. */
export const afterTear = (piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const at = piece.subarray(0, LOOK_BYTES).findIndex((byte) => byte === ESCAPE || byte === NEW_LINE)
  if (at >= 0) return piece.subarray(piece[at] === ESCAPE ? at : at + 1)
  const letter = piece.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return piece.subarray(Math.max(letter, 0))
}
