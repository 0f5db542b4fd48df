import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { placeEmptyDatabase } from '@slipway/testing'
import { queryOnce } from '@slipway/testing/postgres'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { silentLog } from '../../src/lib/log.ts'
import { lockFolder } from '../../src/database/embedded/lock.ts'
import { openEmbeddedPool, type OpenPool } from '../../src/database/embedded/pool.ts'
import { migrate, MigrationError } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../prisma/migrations')
let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slipway-database-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** A database in memory for tests that need no folder. It is empty before and after each test. */
let memory: OpenPool
const clear = () => memory.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
beforeAll(async () => {
  memory = await openEmbeddedPool({ dir: null, dump: inject('emptyDatabase') }, () => undefined)
  memory.pool.on('error', () => {})
  await clear()
})
afterEach(clear)
afterAll(() => memory.close())

const openIn = (dataDir: string) => openDatabase({ url: null, dataDir, log: silentLog })
const newUser = (email: string) => ({ data: { email } })

describe('the embedded database', () => {
  it('loses nothing that it acknowledged when its process is killed in the middle of writing', async () => {
    placeEmptyDatabase(dir)
    const child = spawn(process.execPath, [join(import.meta.dirname, '../support/database/writer.ts'), dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const acknowledged: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line)
      if (acknowledged.length === 25) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    const database = await openIn(dir)
    const emails = (await database.prisma.user.findMany()).map((user) => user.email)
    await database.close()
    expect(acknowledged.length).toBeGreaterThanOrEqual(25)
    expect(emails).toEqual(expect.arrayContaining(acknowledged))
  })

  it('is refused to a second opener with a sentence, and free again once closed', async () => {
    placeEmptyDatabase(dir)
    const first = await openIn(dir)
    await expect(openIn(dir)).rejects.toThrow(/is open in another process/)
    // The order is kept, although transactions queue on the one connection.
    const names = Array.from({ length: 20 }, (_, i) => `${i}@example.org`)
    await Promise.all(names.map((email) => first.prisma.$transaction((tx) => tx.user.create(newUser(email)))))
    expect(await first.prisma.user.count()).toBe(20)
    await first.close()
    await expect(first.ping()).rejects.toThrow()
    const again = await openIn(dir)
    await again.close()
    expect(readdirSync(dir)).toEqual(['database'])
  })

  it('goes on after a query that failed, and undoes a transaction whose connection went away', async () => {
    const { pool } = memory
    await pool.query('CREATE TABLE t (n int)')
    await expect(pool.query('SELECT * FROM nowhere')).rejects.toThrow('nowhere')
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query('INSERT INTO t VALUES (1)')
    client.release(new Error('gone'))
    expect((await pool.query('SELECT * FROM t')).rows).toEqual([])
  })

  it('keeps times in UTC in any time zone of the machine', async () => {
    expect((await memory.pool.query('SHOW timezone')).rows).toEqual([{ TimeZone: 'UTC' }])
  })
})

describe('the lock of a folder', () => {
  it('is taken over from a process that died', async () => {
    const script = `import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, '../../src/database/embedded/lock.ts'))}
      await lockFolder(process.argv[1], 'x'); console.log('locked'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    await expect(lockFolder(dir, 'x')).rejects.toThrow(/is open in another process/)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const unlock = await lockFolder(dir, 'x')
    await expect(lockFolder(dir, 'x')).rejects.toThrow(/is open in another process/)
    await unlock()
  })

  it('is for one folder, also where its path is longer than a socket may have', async () => {
    const long = join(dir, 'x'.repeat(100))
    const unlock = await lockFolder(long, 'a')
    await expect(lockFolder(long, 'a')).rejects.toThrow(/another process/)
    await (
      await lockFolder(long, 'b')
    )()
    await unlock()
  })
})

describe('migrations', () => {
  function addMigration(name: string, sql: string) {
    mkdirSync(join(dir, name))
    writeFileSync(join(dir, name, 'migration.sql'), sql)
  }

  it('are applied once, in order, and recorded as Prisma does', async () => {
    cpSync(MIGRATIONS, dir, { recursive: true })
    addMigration('99990101000000_more', 'CREATE TABLE more (n int);')
    const { pool } = memory
    const applied = await migrate(pool, dir, silentLog)
    expect(applied.at(0)).toMatch(/_init$/)
    expect(applied.at(-1)).toBe('99990101000000_more')
    expect(await migrate(pool, dir, silentLog)).toEqual([])
    const { rows } = await pool.query(
      'SELECT migration_name, finished_at IS NOT NULL AS done, applied_steps_count AS steps, length(checksum) FROM "_prisma_migrations" ORDER BY 1',
    )
    expect(rows).toEqual(applied.map((name) => ({ migration_name: name, done: true, steps: 1, length: 64 })))
  })

  it('leave nothing of one that failed but a note, and stop until it is repaired', async () => {
    addMigration('1_half', 'CREATE TABLE half (n int); SELECT * FROM nowhere;')
    const { pool } = memory
    await expect(migrate(pool, dir, silentLog)).rejects.toThrow(MigrationError)
    await expect(pool.query('SELECT * FROM half')).rejects.toThrow('half')
    await expect(migrate(pool, dir, silentLog)).rejects.toThrow(/1_half failed before.*operations\.md/)
    await pool.query('UPDATE "_prisma_migrations" SET rolled_back_at = now() WHERE finished_at IS NULL')
    writeFileSync(join(dir, '1_half', 'migration.sql'), 'CREATE TABLE half (n int);')
    expect(await migrate(pool, dir, silentLog)).toEqual(['1_half'])
  })

  it('that failed in a newer version stop no older version, which lacks them', async () => {
    addMigration('1_one', 'CREATE TABLE one (n int);')
    const { pool } = memory
    await migrate(pool, dir, silentLog)
    addMigration('2_newer', 'SELECT * FROM nowhere;')
    await expect(migrate(pool, dir, silentLog)).rejects.toThrow(/2_newer failed: .*nowhere/)
    rmSync(join(dir, '2_newer'), { recursive: true })
    expect(await migrate(pool, dir, silentLog)).toEqual([])
  })

  it('on a server take as long as they need, and wait for those of another program as long as a statement may', async () => {
    addMigration('1_long', `CREATE TABLE long AS SELECT current_setting('statement_timeout') AS "limit"`)
    const { url: server } = inject('databaseServer')
    const name = `slipway_test_${randomBytes(8).toString('hex')}`
    await queryOnce(server, `CREATE DATABASE ${name}`)
    const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
    const pool = new pg.Pool({ connectionString: url, max: 1, statement_timeout: 2_000 })
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    try {
      await other.query('SELECT pg_advisory_lock(72707369)')
      await expect(migrate(pool, dir, silentLog)).rejects.toThrow('statement timeout')
      await other.query('SELECT pg_advisory_unlock_all()')
      expect(await migrate(pool, dir, silentLog)).toEqual(['1_long'])
      expect((await pool.query('SELECT "limit" FROM long')).rows).toEqual([{ limit: '0' }])
      expect((await pool.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '2s' }])
    } finally {
      await other.end()
      await pool.end()
      await queryOnce(server, `DROP DATABASE ${name} WITH (FORCE)`)
    }
  })

  it('warn when one was edited after it had been applied', async () => {
    addMigration('1_one', 'CREATE TABLE one (n int);')
    const { pool } = memory
    await migrate(pool, dir, silentLog)
    writeFileSync(join(dir, '1_one', 'migration.sql'), 'CREATE TABLE two (n int);')
    const warnings: unknown[] = []
    await migrate(pool, dir, { ...silentLog, warn: (fields: unknown) => void warnings.push(fields) })
    expect(warnings).toEqual([{ migration: '1_one' }])
  })
})

describe('a database server', () => {
  it('that does not answer is a sentence without the password', async () => {
    const url = 'postgresql://slipway:canary@127.0.0.1:1/slipway'
    const opening = openDatabase({ url, dataDir: null, log: silentLog })
    await expect(opening).rejects.toThrow(/SLIPWAY_DATABASE_URL cannot be reached/)
    await expect(opening).rejects.not.toThrow('canary')
  })
})
