/** Output whose beginning is missing: what may be told to an emulator of what is left. */
import type { Emulator } from './emulator.ts'
import { canSkim } from './skim.ts'

/** Within so many bytes a line or a sequence begins in all that is not meant to be unreadable. */
const LOOK_BYTES = 4096

const ESCAPE = 0x1b
const NEW_LINE = 0x0a

/** Ends whatever sequence or letter was begun before the gap (CAN). */
export const CANCEL = '\x18'

/** What is said where something is missing; nothing to a screen that a program draws. */
export const gapIn = (emulator: Emulator): string =>
  canSkim(emulator) ? '\r\n\x1b[0;2m[some output is missing here]\x1b[0m\r\n' : ''

/** From where something begins: a sequence, or a line. The rest of what was broken off would be taken for letters. */
export const afterTear = (piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const at = piece.subarray(0, LOOK_BYTES).findIndex((byte) => byte === ESCAPE || byte === NEW_LINE)
  if (at >= 0) return piece.subarray(piece[at] === ESCAPE ? at : at + 1)
  const letter = piece.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return piece.subarray(Math.max(letter, 0))
}
