/**
 * Makes sure that one server at a time uses a database. Each of two would know half of the terminals, and at its start
 * would end those of the other. The lock is a session lock: PostgreSQL releases it when its process dies.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { DatabaseOpenError } from './open-error.ts'

/** The lock's name among all advisory locks of this database: "slip" in ASCII, and the first of its kind. */
const LOCK = [0x73_6c_69_70, 1]
/** How long to wait for a server that is stopping, in milliseconds: as long as that one waits for its terminals. */
const WAIT_MS = 35_000
/** Between two tries, in milliseconds. */
const RETRY_MS = 500
/** Between two tries to claim it again, in milliseconds. */
const RECLAIM_MS = 3_500
const CONNECT_TIMEOUT_MS = 5_000

/** Held until it is released. If the connection breaks, it is claimed again, unless another server was faster. */
export interface Claim {
  release(): Promise<void>
}

/** What {@link claimDatabase} may be told. */
export interface ClaimOptions {
  /** How long to wait for a server that is stopping, in milliseconds. */
  readonly waitMs?: number
  /** Called once if the connection broke and another server has the database now. */
  readonly onTaken?: () => void
}

/**
 * Waits for a server that is stopping. Rejects with {@link DatabaseOpenError} if another server keeps running, or as
 * `pg` does.
 */
export const claimDatabase = async (
  connectionString: string,
  log: Log,
  { waitMs = WAIT_MS, onTaken = () => undefined }: ClaimOptions = {},
): Promise<Claim> => {
  const stopped = new AbortController()
  const isReleased = (): boolean => stopped.signal.aborted
  const broken = (): void => void reclaim()
  let client = await take(connectionString, waitMs, broken)

  /** The database or this server was away, so another server may have claimed it first. */
  const reclaim = async (): Promise<void> => {
    while (!isReleased()) {
      try {
        client = await take(connectionString, 0, broken)
        if (isReleased()) await client.end()
        return
      } catch (error) {
        if (error instanceof DatabaseOpenError) {
          log.error('another server has taken the database, so this one ends')
          return onTaken()
        }
        await pause(RECLAIM_MS, undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    }
  }
  return {
    release: async () => {
      stopped.abort()
      client.removeAllListeners('end')
      await client.end().catch(() => undefined)
    },
  }
}

const take = async (connectionString: string, waitMs: number, onLost: () => void): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true })
  // The end that follows the error is what counts.
  client.on('error', () => undefined)
  await client.connect()
  const deadline = performance.now() + waitMs
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', LOCK)
    if (rows[0]?.taken === true) break
    if (performance.now() >= deadline) {
      await client.end()
      throw new DatabaseOpenError('the database at SLIPWAY_DATABASE_URL is in use by another Slipway server')
    }
    await pause(RETRY_MS)
  }
  client.once('end', onLost)
  return client
}
