/**
 * Applies the migrations as `prisma migrate deploy` does, without its native engine: with the same files, table,
 * checksums and lock, so that each may continue what the other began.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { DatabaseOpenError } from './open-error.ts'

/** The advisory lock that Prisma Migrate takes on PostgreSQL. */
const PRISMA_LOCK = 72_707_369

/** Prisma's own table, as its engine creates it. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`

/** A migration could not be applied, or an earlier one that failed blocks it. */
export class MigrationError extends DatabaseOpenError {}

interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

interface Row {
  readonly migration_name: string
  readonly checksum: string
  readonly finished_at: Date | null
}

/** PostgreSQL's classes of errors that come from its machine: no resources, stopped by its operator, a fault of its system. */
const MACHINE_FAULTS = /^(53|57|58)/

/** Whether PostgreSQL has refused the statements themselves, which another try cannot change. */
const isOwnFault = (error: unknown): boolean => {
  const { code } = error as { readonly code?: unknown }
  return error instanceof pg.DatabaseError && typeof code === 'string' && !MACHINE_FAULTS.test(code)
}

/** Brings the database to the newest migration in `dir`; answers the names that were applied. Throws {@link MigrationError}. */
export async function migrate(pool: pg.Pool, dir: string, log: Log): Promise<string[]> {
  const migrations = await readMigrations(dir)
  const client = await pool.connect()
  try {
    // The limit of a statement ends a wait for the migrations of another program, which could last for ever.
    await client.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK])
    // A migration takes as long as its tables are large.
    await client.query('SET statement_timeout = 0')
    await client.query(CREATE_TABLE)
    const applied = await appliedMigrations(client, migrations)
    const names: string[] = []
    for (const migration of migrations) {
      const checksum = applied.get(migration.name)
      if (checksum === undefined) {
        await apply(client, migration)
        names.push(migration.name)
      } else if (checksum !== migration.checksum) {
        log.warn({ migration: migration.name }, 'a migration was edited after it had been applied')
      }
    }
    return names
  } finally {
    await client.query('SELECT pg_advisory_unlock_all(); RESET statement_timeout').catch(() => {})
    client.release()
  }
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(dir, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** The checksum of each migration that was applied. Throws {@link MigrationError} if one of `migrations` failed before. */
async function appliedMigrations(
  client: pg.PoolClient,
  migrations: readonly Migration[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<Row>(
    'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  )
  const known = new Set(migrations.map(({ name }) => name))
  // A newer version's migration that failed left nothing in the tables, so this version may start.
  const failed = rows.find((row) => row.finished_at === null && known.has(row.migration_name))
  if (failed) {
    throw new MigrationError(
      `migration ${failed.migration_name} failed before: docs/operating/operations.md says how to go back, or to try it again`,
    )
  }
  return new Map(rows.map((row) => [row.migration_name, row.checksum]))
}

async function apply(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  const row = [randomUUID(), checksum, name]
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(
      'INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
      row,
    )
    await client.query('COMMIT')
  } catch (error) {
    // A full disk or a lost connection is no fault of the migration: the next start tries again.
    if (!isOwnFault(error)) throw error
    await client.query('ROLLBACK')
    await client.query(
      'INSERT INTO "_prisma_migrations" (id, checksum, migration_name, logs) VALUES ($1, $2, $3, $4)',
      [...row, String(error)],
    )
    throw new MigrationError(`migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}
