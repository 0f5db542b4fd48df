/** The session of a mirror, as far as the mirror reads it. */
import type { Size } from '@slipway/emulator'

export interface MirrorSource {
  readonly id: string
  readonly size: Size
  /** Whether it outlives the server. */
  readonly survives: boolean
  /** Offset of the oldest output that is kept, and up to where the container may have forgotten it. */
  readonly start: number
  readonly acknowledged: number
  /** Offset of the output that comes next. */
  readonly offset: number
  /** At most `limit` bytes of output from `offset` on. */
  read(offset: number, limit: number): Uint8Array<ArrayBuffer>
  /** The mirror has come further. */
  consumed(): void
}
