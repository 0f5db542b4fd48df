/**
 * A PostgreSQL server for one run. Each test file has its own database on it, a copy of one that has nothing but the
 * tables.
 */
import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { installJobs } from '../../../src/database/jobs.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { openDatabase } from '../../../src/database/open.ts'
import { Postgres, queryOnce } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server's address, and the name of the database to copy. */
    databaseServer: { readonly url: string; readonly template: string }
  }
}

/** Uses the server that SLIPWAY_TEST_DATABASE_URL names, or starts one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['SLIPWAY_TEST_DATABASE_URL']
  const own = given === undefined ? new Postgres({ isKept: false }) : null
  await own?.start()
  const server = given ?? own?.url ?? ''
  const template = `slipway_test_empty_${randomBytes(8).toString('hex')}`
  await queryOnce(server, `CREATE DATABASE ${template}`)
  const url = Object.assign(new URL(server), { pathname: `/${template}` }).href
  const opened = await openDatabase({ url, dataDir: null, log: silentLog })
  await installJobs(opened)
  await opened.close()
  project.provide('databaseServer', { url: server, template })
  return async () => {
    if (own) await own.remove()
    else await queryOnce(server, `DROP DATABASE ${template}`)
  }
}
