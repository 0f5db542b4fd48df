/** One database for a test file. It is emptied after each test. */
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { silentLog } from '../../../src/lib/log.ts'
import { openDatabase, type Database } from '../../../src/database/open.ts'
import { queryOnce } from '@slipway/testing/postgres'

/** Which kind of database a test has. */
export interface TestDatabaseOptions {
  readonly embedded?: boolean
}

/** Call it at the top of a test file. The function that it answers gives the database inside of tests. */
export function useDatabase(options: TestDatabaseOptions = {}): () => Database {
  let database: Database | undefined
  const get = (): Database => {
    if (!database) throw new Error('the database is there inside of tests only')
    return database
  }
  beforeAll(async () => {
    database = await openTestDatabase(options)
  })
  afterEach(async () => {
    await empty(get())
  })
  afterAll(() => database?.close())
  return get
}

/** Deletes all rows of users and of agents. For these few rows this takes a twentieth of the time of TRUNCATE. */
async function empty({ prisma }: Database): Promise<void> {
  await prisma.$transaction([
    prisma.credential.deleteMany(),
    prisma.connector.deleteMany(),
    prisma.agentTemplate.deleteMany(),
    prisma.agent.deleteMany(),
    prisma.link.deleteMany(),
    prisma.user.deleteMany(),
  ])
}

/**
 * Opens a database on the run's PostgreSQL, which `close` drops. With `embedded` it opens an embedded one in memory,
 * for tests that need both kinds.
 */
export async function openTestDatabase({ embedded = false }: TestDatabaseOptions = {}): Promise<Database> {
  if (embedded) return openDatabase({ url: null, dataDir: null, dump: inject('emptyDatabase'), log: silentLog })
  const server = inject('databaseServer')
  const name = `slipway_test_${randomBytes(8).toString('hex')}`
  await queryOnce(server.url, `CREATE DATABASE ${name} TEMPLATE ${server.template}`)
  const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  const database = await openDatabase({ url, dataDir: null, log: silentLog })
  return {
    ...database,
    close: async () => {
      await database.close()
      await queryOnce(server.url, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}
