/** A PostgreSQL server for a run; each test file has a database of its own on it, a copy of one with nothing but the tables. */
import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { silentLog } from '../../../src/lib/log.ts'
import { openDatabase } from '../../../src/database/open.ts'
import { Postgres, queryOnce } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the server is, and the name of the database to copy. */
    databaseServer: { readonly url: string; readonly template: string }
  }
}

/** The server that SLIPWAY_TEST_DATABASE_URL names, or one that is started here. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['SLIPWAY_TEST_DATABASE_URL']
  const own = given === undefined ? new Postgres({ isKept: false }) : null
  await own?.start()
  const server = given ?? own?.url ?? ''
  const template = `slipway_test_empty_${randomBytes(8).toString('hex')}`
  await queryOnce(server, `CREATE DATABASE ${template}`)
  const url = Object.assign(new URL(server), { pathname: `/${template}` }).href
  await (await openDatabase({ url, dataDir: null, log: silentLog })).close()
  project.provide('databaseServer', { url: server, template })
  return async () => {
    if (own) await own.remove()
    else await queryOnce(server, `DROP DATABASE ${template}`)
  }
}
