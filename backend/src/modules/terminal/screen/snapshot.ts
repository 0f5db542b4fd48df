/** A printed screen. */
import type { Size } from '@slipway/emulator'

/** A screen as it was after everything before `offset` was printed. */
export interface Snapshot {
  readonly offset: number
  readonly size: Size
  /** Output for an emulator of that size. */
  readonly data: Uint8Array
  /** If set, `data` is for an emulator that shows the screen printed at that offset. */
  readonly base?: number | undefined
}
