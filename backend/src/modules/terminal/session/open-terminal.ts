import type { Size } from '@slipway/emulator'
import type { Program } from '../../../runtime/port.ts'

/** A program on its terminal, as it was when this backend began with it. */
export interface OpenTerminal extends Size {
  readonly pty: Program
  /** Offset of the first byte that follows; what was before it is lost. */
  readonly from: number
  /** Offset up to which there was output. */
  readonly to: number
}
