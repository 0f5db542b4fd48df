/** Gives a program all of its input, as fast as the program reads. */
import type { Program } from '../../program.ts'

/** Size of one write, in bytes. It is far below the queue's limit, so nothing is dropped. */
const PIECE_BYTES = 65_536

/** Uses the program's only drain listener. */
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
