/**
 * Makes sure that one server at a time uses a database. Each of two would know half of the terminals, and at its start
 * would end those of the other. The lock is a session lock: PostgreSQL releases it when its process dies.
 */
import { randomUUID } from 'node:crypto'
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
/** A connection without traffic is checked after this time, in seconds. The default of systems is two hours. */
const KEEPALIVE_IDLE_S = 10
/** Between two checks that are not answered, in seconds. */
const KEEPALIVE_INTERVAL_S = 5
/**
 * PostgreSQL gives up a connection after so many. If the machine of a server lost its power, its lock is free before a
 * start stops waiting for it.
 */
const KEEPALIVE_CHECKS = 3
const KEEPALIVE = `SET tcp_keepalives_idle = ${KEEPALIVE_IDLE_S};
  SET tcp_keepalives_interval = ${KEEPALIVE_INTERVAL_S};
  SET tcp_keepalives_count = ${KEEPALIVE_CHECKS}`

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
  const name = `slipway ${randomUUID()}`
  let client = await take(connectionString, { name, waitMs, onLost: broken })

  /** The database or this server was away, so another server may have claimed it first. */
  const reclaim = async (): Promise<void> => {
    while (!isReleased()) {
      try {
        client = await take(connectionString, { name, waitMs: 0, onLost: broken })
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

interface TakeOptions {
  /** The name of this server's sessions, which no other server knows. */
  readonly name: string
  /** How long to wait for another server, in milliseconds. */
  readonly waitMs: number
  /** Called when the connection breaks. */
  readonly onLost: () => void
}

const take = async (connectionString: string, { name, waitMs, onLost }: TakeOptions): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_S * 1_000,
  })
  // The end that follows the error is what counts.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(KEEPALIVE)
    await client.query(`SELECT set_config('application_name', $1, false)`, [name])
    await endOtherSessions(client, name)
    await lock(client, waitMs)
    client.once('end', onLost)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

const lock = async (client: pg.Client, waitMs: number): Promise<void> => {
  const deadline = performance.now() + waitMs
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', LOCK)
    if (rows[0]?.taken === true) return
    if (performance.now() >= deadline)
      throw new DatabaseOpenError('the database at SLIPWAY_DATABASE_URL is in use by another Slipway server')
    await pause(RETRY_MS)
  }
}

/** If a connection broke on this side alone, PostgreSQL does not know it yet, and its session still has the lock. */
const endOtherSessions = async (client: pg.Client, name: string): Promise<void> => {
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline) {
    const { rowCount } = await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
      [name],
    )
    if (rowCount === 0) return
    await pause(RETRY_MS)
  }
}
