/**
 * A PostgreSQL server for one run. Each test file has its own database on it, a copy of one that has nothing but the
 * tables.
 */
import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { Postgres, queryOnce } from '@slipway/testing/postgres'
import { makeTables } from './template.ts'

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
  await makeTables(url)
  project.provide('databaseServer', { url: server, template })
  return async () => {
    if (own) await own.remove()
    else await queryOnce(server, `DROP DATABASE ${template}`)
  }
}
