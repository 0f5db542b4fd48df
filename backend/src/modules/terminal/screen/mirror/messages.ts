/** What the server and the thread of the mirrors say to each other. */
import type { Size } from '@slipway/emulator'

/** Numbers stand for sessions: they are never used again. */
export type ToMirrors =
  | ({
      readonly type: 'open'
      readonly key: number
      /** Output that makes the emulator what it is to begin with; null: nothing. It does not count as written. */
      readonly screen: Uint8Array<ArrayBuffer> | null
    } & Size)
  /** Output is missing before what will be written next. */
  | { readonly type: 'tear'; readonly key: number }
  /** What is written from now on goes to the disk, too, after these bytes; the segments that begin at `older` come before it. */
  | {
      readonly type: 'journal'
      readonly key: number
      /** Of the session. */
      readonly id: string
      readonly from: number
      readonly older: readonly number[]
      readonly bytes: Uint8Array<ArrayBuffer>
    }
  /** Nobody needs what came before that offset from there; null: any of it. */
  | { readonly type: 'kept'; readonly key: number; readonly offset: number | null }
  | { readonly type: 'write'; readonly key: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | ({ readonly type: 'resize'; readonly key: number } & Size)
  | {
      readonly type: 'print'
      readonly key: number
      readonly request: number
      readonly scrollback: number | null
      /** Nobody waits for it: it is done in slices, so that the others do not wait either. */
      readonly isPatient: boolean
      /** What followed the print of so many bytes will do, where that is only lines. */
      readonly base: number | null
    }
  /** `goesOn`: another server takes the session over. */
  | { readonly type: 'close'; readonly key: number; readonly goesOn: boolean }

export type FromMirrors =
  /** The thread is there, and at work: what it was given to begin with may take it long. */
  | { readonly type: 'ready' }
  /** The write, or the change of size, that was not answered yet: there is room for another one. */
  | { readonly type: 'taken'; readonly key: number }
  /** It is not on the disk any more. */
  | { readonly type: 'unjournaled'; readonly key: number; readonly cause: string }
  | ({
      readonly type: 'printed'
      readonly key: number
      readonly request: number
      /** Bytes written to it since it was opened: what is printed is the screen after them. */
      readonly taken: number
      readonly data: Uint8Array<ArrayBuffer>
      /** Of the print that it follows; null: it is a whole one. */
      readonly base: number | null
    } & Size)
