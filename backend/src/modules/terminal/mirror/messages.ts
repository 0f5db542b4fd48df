/** What the server and the thread of the mirrors say to each other. */
import type { Size } from '../session.ts'

/** Numbers stand for sessions: they are never used again. */
export type ToMirrors =
  | ({
      readonly type: 'open'
      readonly key: number
      /** Output that makes the emulator what it is to begin with; null: nothing. It does not count as written. */
      readonly screen: Uint8Array<ArrayBuffer> | null
      /** Whether output is missing between that and what will be written. */
      readonly isTorn: boolean
    } & Size)
  | { readonly type: 'write'; readonly key: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | ({ readonly type: 'resize'; readonly key: number } & Size)
  | {
      readonly type: 'print'
      readonly key: number
      readonly request: number
      readonly scrollback: number | null
      /** Nobody waits for it: it is done in slices, so that the others do not wait either. */
      readonly isPatient: boolean
    }
  | { readonly type: 'close'; readonly key: number }

export type FromMirrors =
  /** The thread is there, and at work: what it was given to begin with may take it long. */
  | { readonly type: 'ready' }
  /** The oldest write that was not answered yet: there is room for another one. */
  | { readonly type: 'taken'; readonly key: number }
  | ({
      readonly type: 'printed'
      readonly key: number
      readonly request: number
      /** Bytes written to it since it was opened: what is printed is the screen after them. */
      readonly taken: number
      readonly data: Uint8Array<ArrayBuffer>
    } & Size)
