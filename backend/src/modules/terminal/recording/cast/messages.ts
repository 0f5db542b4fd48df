/** The messages between the server and its thread that writes recordings. */
import type { CastLimits, Loss } from './cast-file.ts'
import type { CastEvent, CastHeader } from './lines.ts'

/** Most output in one message to the writer, in bytes. It bounds the longest line of a recording. */
export const BLOCK_BYTES = 65_536

export interface OpenCast {
  readonly type: 'open'
  readonly id: string
  readonly path: string
  readonly secrets: readonly string[]
  readonly limits: CastLimits
  /** Null to continue an existing file. */
  readonly begin: { readonly header: CastHeader; readonly offset: number } | null
}

interface Bytes {
  readonly id: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Milliseconds since the start of the recording, like all times here. */
  readonly atMs: number
}

/** Sent in the order of the events. */
export type ToWriter =
  | OpenCast
  | (Bytes & { readonly type: 'output'; readonly offset: number })
  | (Bytes & { readonly type: 'input' })
  | {
      readonly type: 'event'
      readonly id: string
      readonly code: CastEvent
      readonly data: string
      readonly atMs: number
    }
  /** Secrets to mask from now on, besides the known ones. */
  | { readonly type: 'secrets'; readonly id: string; readonly secrets: readonly string[] }
  /** `isOver`: the recording has ended, so what the masks hold back is written. */
  | { readonly type: 'close'; readonly id: string; readonly isOver: boolean }
  /** Ends a file that an earlier server left and no session continues. */
  | { readonly type: 'close_left'; readonly id: string; readonly path: string; readonly mark: string }

/** The length of a recording. */
export interface Extent {
  readonly bytes: number
  readonly atMs: number
}

export type FromWriter =
  /**
   * The file has all output before `offset`, and `input` bytes of input in all. `spare` returns a block of {@link
   * BLOCK_BYTES}.
   */
  | (Extent & {
      readonly type: 'taken'
      readonly id: string
      readonly offset: number
      readonly input: number
      readonly spare: ArrayBuffer | null
    })
  /**
   * The recording is lost. Later messages, also a close, are not answered. If the thread itself broke, the length is
   * unknown.
   */
  | (Partial<Extent> & {
      readonly type: 'lost'
      readonly id: string
      readonly loss: Loss
      readonly cause: string | null
    })
  | (Extent & { readonly type: 'closed'; readonly id: string })
