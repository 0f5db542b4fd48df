import type { Size } from '@slipway/emulator'
import type { Program } from '../../../runtime/program.ts'

/** A program on its terminal, as this backend found or started it. */
export interface OpenTerminal extends Size {
  readonly pty: Program
  /** Offset of the first byte that follows. Output before it is lost. */
  readonly from: number
  /** Offset up to which output exists already. */
  readonly to: number
}
