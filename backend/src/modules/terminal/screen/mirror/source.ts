/** What a mirror needs of its session. */
import type { Size } from '@slipway/emulator'

export interface MirrorSource {
  readonly id: string
  readonly size: Size
  /** Whether it outlives the server. */
  readonly survives: boolean
  /** Offset of the oldest output that is kept, and offset before which the container may have dropped its output. */
  readonly start: number
  readonly acknowledged: number
  /** Offset of the next output. */
  readonly offset: number
  /** At most `limit` bytes of output from `offset` on. */
  read(offset: number, limit: number): Uint8Array<ArrayBuffer>
  /** Whether the screen answers what the program asks the terminal. Absent: no. */
  readonly answers?: boolean
  answer?(data: Uint8Array): void
  /** The mirror has consumed output. */
  consumed(): void
}
