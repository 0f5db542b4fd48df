/** A client generated from the server's API description, compiled strictly, and run. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, PASSWORD, signInAdmin } from '../support/api.ts'

const ROOT = join(import.meta.dirname, '../..')
const RESULTS = join(ROOT, 'e2e/results')
/** Inside the project, so that Node finds the packages. */
let folder: string
let source: string
let person: Client

beforeAll(async () => {
  mkdirSync(RESULTS, { recursive: true })
  folder = mkdtempSync(join(RESULTS, 'client-'))
  person = await newUser(await signInAdmin())
  source = await (await fetch(`${inject('baseUrl')}/docs/json`)).text()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Not synchronously: meanwhile the server may close a connection that is kept alive, and this process has to learn of it. */
const node = (
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<{ status: unknown; output: string }> =>
  new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } }
    execFile(process.execPath, argv, options, (error, stdout, stderr) => {
      resolve({ status: error?.code ?? 0, output: stdout + stderr })
    })
  })

describe('the description of the API', () => {
  it('has no fault that its linter knows', async () => {
    // Requests for health and status either succeed or fail with a server error.
    const config = await createConfig({ extends: ['recommended-strict'], rules: { 'operation-4xx-response': 'off' } })
    const problems = await lintFromString({ source, config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it('makes a client that compiles strictly and works', async () => {
    writeFileSync(join(folder, 'api.ts'), astToString(await openapiTypescript(JSON.parse(source) as OpenAPI3)))
    copyFileSync(join(ROOT, 'examples/client.ts'), join(folder, 'client.ts'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const compilerOptions = {
      ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ target: 'es2023', module: 'nodenext', types: ['node'], allowImportingTsExtensions: true },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    // The one of the checkout's own types, which is ten times as fast.
    expect(await node([join(ROOT, 'node_modules/typescript-native/bin/tsc')])).toEqual({ status: 0, output: '' })
    const env = { SLIPWAY_URL: inject('baseUrl'), SLIPWAY_EMAIL: person.email, SLIPWAY_PASSWORD: PASSWORD }
    const { status, output } = await node(['client.ts'], env)
    expect(output).toMatch(
      /^client-\d+ is running\nexit code 0: hello, world\nlisted: true\nagain: NAME_TAKEN\ndeleted\n$/,
    )
    expect(status).toBe(0)
    expect(await person.ok('GET', '/agents')).toMatchObject({ items: [] })
  })
})
