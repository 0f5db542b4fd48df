/** What the pool and the database's thread say to each other. */

/** Handed to the thread when it starts. `dir` is the database's folder; null keeps it in memory. */
export interface WorkerData {
  readonly dir: string | null
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
