/**
 * Databases for the servers of the tests, on one PostgreSQL server. A start with the embedded database takes seconds of a
 * core. Servers whose data folder a test gives have that database, as do the tests of installations.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Postgres, queryOnce } from '@slipway/testing/postgres'
import { inject } from 'vitest'

const MAKE_TABLES = join(import.meta.dirname, '../../backend/test/support/database/template.ts')

export interface DatabaseServer {
  readonly url: string
  /** The name of a database that has the tables of a first start, and nothing in them. */
  readonly template: string
}

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer
  }
}

export interface TestDatabase {
  /** For `SLIPWAY_DATABASE_URL`. */
  readonly url: string
  remove(): Promise<void>
}

const addressOf = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href

export const startDatabaseServer = async (): Promise<DatabaseServer & { remove(): Promise<void> }> => {
  const postgres = new Postgres({ isKept: false })
  await postgres.start()
  const template = 'slipway_test_empty'
  await queryOnce(postgres.url, `CREATE DATABASE ${template}`)
  await promisify(execFile)(process.execPath, [MAKE_TABLES, addressOf(postgres.url, template)])
  return { url: postgres.url, template, remove: () => postgres.remove() }
}

/** A new database for one server. */
export const newDatabase = async (server: DatabaseServer = inject('databaseServer')): Promise<TestDatabase> => {
  const name = `slipway_test_${randomBytes(6).toString('hex')}`
  await queryOnce(server.url, `CREATE DATABASE ${name} TEMPLATE ${server.template}`)
  return {
    url: addressOf(server.url, name),
    remove: () => queryOnce(server.url, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}
