import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { placeEmptyDatabase, until } from '@slipway/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../src/lib/log.ts'
import { claimDatabase } from '../../src/database/claim.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { oneSided } from '../support/database/one-sided.ts'
import { bootApp, type TestApp } from '../support/server/app.ts'
import { call, type Person, setUpAdmin } from '../support/people/people.ts'
import { hasPostgres, Postgres } from '@slipway/testing/postgres'

/** Longest time until a user is told that the database is away, in milliseconds. */
const TOLD_WITHIN_MS = 6_000
/** A server that starts waits so long for the one that has the database, in milliseconds. */
const GIVES_UP_AFTER_MS = 35_000
/** Longest time until the server uses a database again that has returned, in milliseconds. */
const BACK_WITHIN_MS = 40_000

interface Running extends TestApp {
  readonly admin: Person
}
const boot = async (database: Database): Promise<Running> => {
  const server = await bootApp(database)
  return { ...server, admin: await setUpAdmin(server) }
}
const addUser = ({ app, admin }: Running, email: string) =>
  call(app, 'POST /users', { token: admin.token, body: { email, role: 'user', password: 'correct horse battery' } })

/** The addresses of all users, page by page. */
const everybody = async ({ app, admin }: Running): Promise<string[]> => {
  const emails: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await call(app, `GET /users?limit=100${cursor && `&cursor=${cursor}`}`, { token: admin.token })
    const { items, nextCursor } = page.json<{ items: { email: string }[]; nextCursor: string | null }>()
    emails.push(...items.map(({ email }) => email))
    cursor = nextCursor
  }
  return emails
}

/** Writes that were acknowledged earlier are there, and the database accepts new ones. */
const isBack = async (running: Running, acknowledged: string[]): Promise<void> => {
  await until(
    'the database',
    async () => (await addUser(running, 'after@example.org')).statusCode === 201,
    BACK_WITHIN_MS,
  )
  expect(await everybody(running)).toEqual(expect.arrayContaining([...acknowledged, 'after@example.org']))
  expect((await call(running.app, 'GET /health/ready')).json()).not.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
}
const isAway = async (running: Running): Promise<void> => {
  const from = performance.now()
  const answer = await call(running.app, 'GET /users', { token: running.admin.token })
  expect(answer.json()).toMatchObject({ statusCode: 503, code: 'DATABASE_UNAVAILABLE' })
  expect((await call(running.app, 'GET /health/ready')).statusCode).toBe(503)
  expect((await call(running.app, 'GET /health')).statusCode).toBe(200)
  expect(performance.now() - from).toBeLessThan(TOLD_WITHIN_MS)
}

describe('database gone and back: the embedded one', () => {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-test-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  it('breaks with its thread, is told, is started again, and has all it acknowledged', async () => {
    const threads: Worker[] = []
    let isBroken = false
    const note = (worker: Worker): void => {
      threads.push(worker)
      // While `isBroken` is set, each new thread ends at once. So the database stays away until all requests were
      // answered.
      if (isBroken) void worker.terminate()
    }
    process.on('worker', note)
    const database = await openDatabase({ url: null, dataDir: placeEmptyDatabase(dir), log: silentLog })
    const running = await boot(database)
    try {
      for (const name of ['one', 'two']) expect((await addUser(running, `${name}@example.org`)).statusCode).toBe(201)
      isBroken = true
      await threads.at(-1)?.terminate()
      await isAway(running)
      isBroken = false
      const { length } = threads
      await isBack(running, ['one@example.org', 'two@example.org'])
      expect(threads).toHaveLength(length + 1)
    } finally {
      process.off('worker', note)
      await running.app.close()
      await database.close()
    }
  })
})

// Only root can mount a file system.
describe.skipIf(process.getuid?.() !== 0)('disk full: the data folder', () => {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-test-'))
  beforeAll(() => execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'slipway-test', dir]))
  afterAll(() => {
    execFileSync('umount', [dir])
    rmSync(dir, { recursive: true, force: true })
  })

  it('fails what writes, visibly, loses nothing, and goes on when there is room again', async () => {
    const database = await openDatabase({ url: null, dataDir: placeEmptyDatabase(dir), log: silentLog })
    const running = await boot(database)
    try {
      const acknowledged: string[] = []
      const { bavail, bsize } = statfsSync(dir)
      writeFileSync(join(dir, 'filler'), Buffer.alloc(bavail * bsize))
      let refused = 0
      // At first the database may still have room within its files. In the end it has none.
      for (let index = 0; index < 400 && refused < 3; index++) {
        const email = `${'x'.repeat(40)}${index}@example.org`
        const { statusCode } = await addUser(running, email)
        if (statusCode === 201) acknowledged.push(email)
        else {
          expect([500, 503]).toContain(statusCode)
          refused += 1
        }
      }
      expect((await call(running.app, 'GET /health')).statusCode).toBe(200)
      rmSync(join(dir, 'filler'))
      expect(refused).toBeGreaterThan(0)
      await isBack(running, acknowledged)
    } finally {
      await running.app.close()
      await database.close()
    }
  })
})

describe.skipIf(!hasPostgres)('PostgreSQL:', () => {
  const postgres = new Postgres()
  beforeAll(() => postgres.start())
  afterAll(() => postgres.remove())

  it('database gone and back: told meanwhile, and used again without a restart', async () => {
    const database = await openDatabase({ url: postgres.url, dataDir: null, log: silentLog })
    const running = await boot(database)
    try {
      expect((await addUser(running, 'one@example.org')).statusCode).toBe(201)
      await postgres.kill()
      await isAway(running)
      await postgres.start()
      await isBack(running, ['one@example.org'])
    } finally {
      await running.app.close()
      await database.close()
    }
  })

  it('two backends, one session: a second backend on the database is told so, waits for the first to stop, and has it then', async () => {
    const first = await openDatabase({ url: postgres.url, dataDir: null, log: silentLog })
    await expect(claimDatabase(postgres.url, silentLog, { waitMs: 0 })).rejects.toThrow(
      'in use by another Slipway server',
    )
    const second = claimDatabase(postgres.url, silentLog, { waitMs: 20_000 })
    await first.close()
    await (await second).release()
    await (await claimDatabase(postgres.url, silentLog, { waitMs: 5_000 })).release()
  })

  it('two backends, one session: the backend that has the database keeps it after an outage of the database', async () => {
    const first = await claimDatabase(postgres.url, silentLog)
    await postgres.kill()
    await postgres.start()
    const watcher = new pg.Client({ connectionString: postgres.url })
    await watcher.connect()
    try {
      // A second claim takes the lock for a moment if the first one does not have it yet.
      const held = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted`
      await until('the lock', async () => (await watcher.query(held)).rowCount === 1)
      await expect(claimDatabase(postgres.url, silentLog, { waitMs: 0 })).rejects.toThrow('another Slipway server')
    } finally {
      await watcher.end()
      await first.release()
    }
  })
  it('two backends, one session: a break that PostgreSQL does not see ends no backend', async () => {
    const network = await oneSided(postgres.url)
    const onTaken = vi.fn<() => void>()
    const claim = await claimDatabase(network.url, silentLog, { onTaken })
    const watcher = new pg.Client({ connectionString: postgres.url })
    await watcher.connect()
    try {
      const holder = async (): Promise<unknown> =>
        (await watcher.query(`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted`)).rows[0]
      const before = await holder()
      network.cut()
      await until('the lock in another session', async () => {
        const now = await holder()
        return onTaken.mock.calls.length > 0 || (now !== undefined && !isDeepStrictEqual(now, before))
      })
      expect(onTaken).not.toHaveBeenCalled()
    } finally {
      await watcher.end()
      await claim.release()
      await network.close()
    }
  })

  it('two backends, one session: after a power loss of the first, its lock is free before a second one gives up', async () => {
    const connect = vi.spyOn(pg.Client.prototype, 'connect')
    const claim = await claimDatabase(postgres.url, silentLog)
    const [client] = connect.mock.contexts as pg.Client[]
    connect.mockRestore()
    const setting = async (name: string): Promise<number> =>
      Number((await client?.query<Record<string, string>>(`SHOW ${name}`))?.rows[0]?.[name])
    const idle = await setting('tcp_keepalives_idle')
    const checks = (await setting('tcp_keepalives_interval')) * (await setting('tcp_keepalives_count'))
    await claim.release()
    expect(idle).toBeGreaterThan(0)
    expect((idle + checks) * 1_000).toBeLessThan(GIVES_UP_AFTER_MS)
  })
})
