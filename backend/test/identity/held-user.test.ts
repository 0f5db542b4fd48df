/**
 * A user signs in while their password is being changed. This needs two connections, which only a PostgreSQL server
 * has.
 */
import { until } from '@slipway/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { stranger } from '../../src/modules/audit/actor.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { createSignInRepository } from '../../src/modules/identity/sign-ins/repository.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { NOWHERE } from '../support/people/callers.ts'
import { TestClock } from '../support/clock.ts'
import { hasPostgres, Postgres } from '@slipway/testing/postgres'

describe.skipIf(!hasPostgres)('a sign-in that is made while the password is being changed', () => {
  const clock = new TestClock()
  const newId = createIds(clock)
  let postgres: Postgres
  let database: Database
  let other: pg.Client

  beforeAll(async () => {
    postgres = new Postgres()
    await postgres.start()
    database = await openDatabase({ url: postgres.url, dataDir: null, log: silentLog })
    other = new pg.Client({ connectionString: postgres.url })
    await other.connect()
  })
  afterAll(async () => {
    await other.end()
    await database.close()
    await postgres.remove()
  })

  it.each([
    ['is refused once that is done', 'COMMIT', false],
    ['is made where that is taken back', 'ROLLBACK', true],
  ])('waits, and %s', async (_name, end, isMade) => {
    const { prisma } = database
    const user = await prisma.user.create({ data: { email: `${newId()}@example.org`, passwordHash: 'old' } })
    await other.query('BEGIN')
    await other.query(`UPDATE "User" SET "passwordHash" = 'new' WHERE "id" = $1`, [user.id])

    const signIns = createSignInRepository(prisma, createAudit({ prisma, clock, newId, log: silentLog }))
    const now = new Date(clock.now())
    const times = { createdAt: now, lastUsedAt: now, expiresAt: new Date(clock.now() + 1000) }
    const signIn = { id: newId(), userId: user.id, refreshHash: '', keyHash: '', userAgent: null, ...times }
    const made = signIns.create(signIn, { user, by: 'password', actor: stranger(NOWHERE) })
    await until('it to wait for the row', async () => {
      const { rowCount } = await other.query(`SELECT 1 FROM pg_locks WHERE NOT granted`)
      return rowCount === 1
    })
    await other.query(end)
    expect(await made).toBe(isMade)
    expect(await prisma.signIn.count({ where: { userId: user.id } })).toBe(isMade ? 1 : 0)
  })
})
