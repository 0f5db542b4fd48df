/** One database for a test file, emptied after each of its tests. */
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { silentLog } from '../../src/lib/log.ts'
import { openDatabase, type Database } from '../../src/plugins/database/open.ts'

/**
 * Call at the top of a test file; the answer gives the database inside of tests. SLIPWAY_TEST_DATABASE_URL runs the
 * same tests on a PostgreSQL server, one file after the other.
 */
export function useDatabase(): () => Database {
  let database: Database | undefined
  const get = (): Database => {
    if (!database) throw new Error('the database is there inside of tests only')
    return database
  }
  beforeAll(async () => {
    const url = process.env['SLIPWAY_TEST_DATABASE_URL'] ?? null
    database = await openDatabase({ url, dataDir: null, dump: inject('emptyDatabase'), log: silentLog })
  })
  afterEach(async () => {
    await get().prisma.$executeRaw`TRUNCATE "User", "Link", "Agent" CASCADE`
  })
  afterAll(() => database?.close())
  return get
}
