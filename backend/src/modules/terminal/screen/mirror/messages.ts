/** The messages between the server and the thread of the mirrors. */
import type { Size } from '@slipway/emulator'

/** A `key` stands for a session, and is never used again. */
export type ToMirrors =
  | ({
      readonly type: 'open'
      readonly key: number
      /** Output that restores the emulator's initial state; null: none. It does not count as written. */
      readonly screen: Uint8Array<ArrayBuffer> | null
    } & Size)
  /** Output is missing before the next write. */
  | { readonly type: 'tear'; readonly key: number }
  /** The next writes go to the journal, too, after these bytes. The segments that begin at `older` come before them. */
  | {
      readonly type: 'journal'
      readonly key: number
      /** The session's id. */
      readonly id: string
      readonly from: number
      readonly older: readonly number[]
      readonly bytes: Uint8Array<ArrayBuffer>
    }
  /** The journal's output before that offset is no longer needed; null: none of it is. */
  | { readonly type: 'kept'; readonly key: number; readonly offset: number | null }
  | {
      readonly type: 'write'
      readonly key: number
      readonly bytes: Uint8Array<ArrayBuffer>
      /** Whether queries in these bytes are answered. */
      readonly answers: boolean
    }
  | ({ readonly type: 'resize'; readonly key: number } & Size)
  | {
      readonly type: 'print'
      readonly key: number
      readonly request: number
      readonly scrollback: number | null
      /** No user waits for it, so it is done in slices that let others through. */
      readonly isPatient: boolean
      /** If only lines have followed the print of so many bytes, print only these lines. */
      readonly base: number | null
    }
  /** `goesOn`: another server will take the session over. */
  | { readonly type: 'close'; readonly key: number; readonly goesOn: boolean }

export type FromMirrors =
  /** The thread has started, or is making progress: its initial screens may take long. */
  | { readonly type: 'ready' }
  /** Answers the pending write or change of size. There is room for the next one. */
  | { readonly type: 'taken'; readonly key: number }
  /** What the program asked the terminal is answered by this. */
  | { readonly type: 'answered'; readonly key: number; readonly data: string }
  /** The session's journal was given up. */
  | { readonly type: 'unjournaled'; readonly key: number; readonly cause: string }
  | ({
      readonly type: 'printed'
      readonly key: number
      readonly request: number
      /** Bytes written to it since it was opened. The print shows the screen after these. */
      readonly taken: number
      readonly data: Uint8Array<ArrayBuffer>
      /** The print that these lines follow; null: this is a whole print. */
      readonly base: number | null
    } & Size)
