/** Gives a program all of its input, no faster than it is taken. */
import type { Program } from '../../port.ts'

/** Written at once, in bytes: far less than the input that may be queued, of which nothing is dropped then. */
const PIECE_BYTES = 65_536

/** Takes the program's one listener for drains. */
export const feed = (program: Pick<Program, 'write' | 'onDrain' | 'endInput'>, bytes: Uint8Array): void => {
  let at = 0
  const goOn = (): void => {
    while (at < bytes.length) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      at += piece.length
      if (!program.write(piece)) return
    }
    program.endInput()
  }
  program.onDrain(goOn)
  goOn()
}
