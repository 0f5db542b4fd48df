/** A printed screen. */
import type { Size } from '@slipway/emulator'

/** A screen as it was when everything before `offset` had been printed. */
export interface Snapshot {
  readonly offset: number
  readonly size: Size
  /** To be written to an emulator of that size. */
  readonly data: Uint8Array
  /** Where it says one: to an emulator that shows the screen that was printed at that offset. */
  readonly base?: number | undefined
}
