/** One PostgreSQL server for a run; each test file has a database of its own on it. */
import { Postgres } from './postgres.ts'

export async function setup(): Promise<() => Promise<void>> {
  const server = new Postgres()
  await server.start()
  // What runs the files is started afterwards, and inherits it.
  process.env['SLIPWAY_TEST_DATABASE_URL'] = server.url
  return () => server.remove()
}
