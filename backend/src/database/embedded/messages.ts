/** What the pool and the database's thread say to each other. */

/** Where the database lives: in a folder, or in memory, there perhaps beginning as a copy of a dump's file. */
export type DatabaseLocation = { readonly dir: string } | { readonly dir: null; readonly dump: string | null }

/** Handed to the thread when it starts. */
export interface WorkerData {
  readonly location: DatabaseLocation
}

/** To the thread. `connection` counts up; `data` is one message of PostgreSQL's wire protocol. */
export type FromPool =
  | { readonly type: 'open' }
  | { readonly type: 'data'; readonly connection: number; readonly data: Uint8Array<ArrayBuffer> }
  | { readonly type: 'close' }

/** From the thread. `data` is part of the answer to what the connection of that number sent. */
export type ToPool =
  | { readonly type: 'ready' }
  | { readonly type: 'data'; readonly connection: number; readonly data: Uint8Array<ArrayBuffer> }
