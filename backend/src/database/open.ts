/** The database: PostgreSQL where an address is given, else the embedded one, behind the same client. */
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { claimDatabase } from './claim.ts'
import { embeddedOpenError, openEmbeddedPool, type OpenPool } from './embedded/pool.ts'
import { PrismaClient } from './generated/client.ts'
import { isDatabaseGone } from './errors.ts'
import { migrate } from './migrate.ts'
import { DatabaseOpenError } from './open-error.ts'

/** Most connections to a PostgreSQL server; its own default is 100 for all of its clients. */
const MAX_CONNECTIONS = 10
/** How long to wait for a connection, in milliseconds, before the database counts as gone. */
const CONNECT_TIMEOUT_MS = 5_000
/**
 * How long one statement may run on a server, in milliseconds. Ours take a few; the limit frees what is stuck. Migrations
 * have none.
 */
const STATEMENT_TIMEOUT_MS = 30_000
/**
 * How long a transaction may wait for its connection, and then run, in milliseconds. The embedded database has one
 * connection, for which transactions queue.
 */
const TRANSACTION_TIMEOUT_MS = 15_000
/**
 * Most statements that the embedded database keeps prepared, which halves the work of a small query. The first ones
 * stay, because what the server always needs comes early. A PostgreSQL server may be behind a pooler that keeps none,
 * and it plans faster.
 */
const PREPARED_MAX = 200
/** The timezone is pinned because the adapter misreads times in any other. */
const SESSION_OPTIONS = '-c timezone=UTC'

const MIGRATIONS = join(import.meta.dirname, '../../../prisma/migrations')

/** What {@link openDatabase} needs. */
export interface DatabaseOptions {
  /** `postgresql://…`, or null for the embedded database. */
  readonly url: string | null
  /** Where the embedded database lives; null keeps it in memory, for tests. */
  readonly dataDir: string | null
  /** For a database in memory: a dump to begin with, which saves the seconds that creating a new one takes. */
  readonly dump?: string
  readonly log: Log
  /** Called if another server has taken the database meanwhile: this one was stopped, or was cut off from it. */
  readonly onTaken?: () => void
}

/** An open database, its migrations applied. */
export interface Database {
  /** Only repositories use it. */
  readonly prisma: PrismaClient
  readonly embedded: boolean
  /** Runs SQL of a library that brings its own, one or several statements. Answers the rows of all of them. */
  sql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
  /** Its connections now: all of them, the idle ones, and how many queries wait for one. */
  connections(): { readonly open: number; readonly idle: number; readonly waiting: number }
  /** Rejects while the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the database and applies the migrations. Rejects with {@link DatabaseOpenError}: it does not answer, another
 * process has its folder, or a migration failed.
 */
export async function openDatabase({ url, dataDir, dump, log, onTaken }: DatabaseOptions): Promise<Database> {
  const location = dataDir === null ? { dir: null, dump: dump ?? null } : { dir: dataDir }
  const onRestart = (): void => log.error('the embedded database broke and was started again')
  const { pool, close } =
    url === null ? await openEmbeddedPool(location, onRestart) : await openServerPool(url, log, onTaken)
  // Without a listener, a connection that breaks while idle would end the process. The next query reports the fault.
  pool.on('error', () => log.warn('an idle connection to the database was lost'))
  try {
    for (const migration of await migrate(pool, MIGRATIONS, log)) log.info({ migration }, 'applied a migration')
  } catch (error) {
    await close().catch(() => undefined)
    if (error instanceof DatabaseOpenError) throw error
    throw url === null ? embeddedOpenError(dataDir ?? 'in memory', error) : unreachable(error)
  }
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, url === null ? { statementNameGenerator: namesOfStatements() } : {}),
    // Prisma's longer messages repeat the values of a query, and errors are logged.
    errorFormat: 'minimal',
    transactionOptions: { maxWait: TRANSACTION_TIMEOUT_MS, timeout: TRANSACTION_TIMEOUT_MS },
  })
  return {
    prisma,
    embedded: url === null,
    sql: async (text, values) => {
      // Several statements have a result each, which the types of `pg` do not say.
      const result: pg.QueryResult | pg.QueryResult[] = await pool.query(text, values && [...values])
      return { rows: [result].flat().flatMap(({ rows }): unknown[] => rows) }
    },
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    ping: async () => void (await pool.query('SELECT 1')),
    close: async () => {
      await prisma.$disconnect()
      await close()
    },
  }
}

/** Gives each text a name; PostgreSQL does not keep a statement without one. */
function namesOfStatements(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    if (!names.has(sql) && names.size < PREPARED_MAX) names.set(sql, `s${names.size}`)
    return names.get(sql) ?? ''
  }
}

async function openServerPool(url: string, log: Log, onTaken: DatabaseOptions['onTaken']): Promise<OpenPool> {
  const claim = await claimDatabase(url, log, onTaken && { onTaken }).catch((error: unknown) => {
    throw error instanceof DatabaseOpenError ? error : unreachable(error)
  })
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    options: SESSION_OPTIONS,
  })
  const close = async (): Promise<void> => {
    try {
      await pool.end()
    } finally {
      await claim.release()
    }
  }
  return { pool, close }
}

/** The cause names at most a host, a port, a user and a database, and no password. */
function unreachable(cause: unknown): DatabaseOpenError {
  // What a name with several addresses answers has no message of its own.
  const [first] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause]
  const reason = first instanceof Error && first.message !== '' ? first.message : 'no answer'
  const verb = isDatabaseGone(first) ? 'cannot be reached' : 'cannot be used'
  return new DatabaseOpenError(`the database at SLIPWAY_DATABASE_URL ${verb}: ${reason}`, { cause })
}
