/** What the server and its thread that writes recordings say to each other. */
import type { CastLimits, Loss } from './cast-file.ts'
import type { CastEvent, CastHeader } from './lines.ts'

/** As much as is sent to the writer at once; the longest line of a recording follows from it. */
export const BLOCK_BYTES = 65_536

export interface OpenCast {
  readonly type: 'open'
  readonly id: string
  readonly path: string
  readonly secrets: readonly string[]
  readonly limits: CastLimits
  /** Null to go on with a file that is there. */
  readonly begin: { readonly header: CastHeader; readonly offset: number } | null
}

interface Bytes {
  readonly id: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Milliseconds since the start of the recording, like all times here. */
  readonly atMs: number
}

/** In the order of what happened. */
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
  /** To be masked from now on, besides those that are. */
  | { readonly type: 'secrets'; readonly id: string; readonly secrets: readonly string[] }
  /** `isOver`: nobody goes on with it, and what is held back is told. */
  | { readonly type: 'close'; readonly id: string; readonly isOver: boolean }
  /** Of a file that an earlier server left and nobody goes on with. */
  | { readonly type: 'close_left'; readonly id: string; readonly path: string; readonly mark: string }

/** How much of a recording there is. */
export interface Extent {
  readonly bytes: number
  readonly atMs: number
}

export type FromWriter =
  /**
   * It is in the file: all output before `offset`, and so many bytes of input altogether. `spare` is the block of {@link BLOCK_BYTES} that
   * it came in, given back.
   */
  | (Extent & {
      readonly type: 'taken'
      readonly id: string
      readonly offset: number
      readonly input: number
      readonly spare: ArrayBuffer | null
    })
  /** Nothing more is taken; a close is not answered. Where the thread is gone nobody says how much there is. */
  | (Partial<Extent> & {
      readonly type: 'lost'
      readonly id: string
      readonly loss: Loss
      readonly cause: string | null
    })
  | (Extent & { readonly type: 'closed'; readonly id: string })
