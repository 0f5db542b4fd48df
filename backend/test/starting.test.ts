/** Starts that cannot succeed. The operator gets one sentence, and no half-made database is left. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placeEmptyDatabase } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { queryOnce } from '@slipway/testing/postgres'
import { refusedStart, type RefusedStart, type StartOptions } from './support/server/refused-start.ts'

const SECRET_KEY = 'a secret of at least 32 characters'
const START_MS = 120_000

let dataDir: string
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-start-'))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const start = (options: Partial<StartOptions> = {}): Promise<RefusedStart> => refusedStart({ dataDir, ...options })

/** One line that begins with a capital letter or the variable, without a stack or an object. */
const isSentence = ({ code, said }: RefusedStart, sentence: RegExp): void => {
  expect(said).toMatch(sentence)
  expect(said).toMatch(/^[^\n]+\n$/)
  expect(said).not.toMatch(/\[object|^\s+at /m)
  expect(code).toBe(1)
}
const FULL = 'mount -t tmpfs -o size=SIZE none "$1"'
/** A file system of this size, which the new database fills. */
const sized = (size: string): string => FULL.replace('SIZE', size)

describe('a data folder', { timeout: START_MS }, () => {
  it.each<[string, string, string[]]>([
    ['for the secret key', `${sized('64k')}; head -c 65536 /dev/zero > "$1/other" || true`, ['other']],
    ...inLongForm<[string, string, string[]]>([
      ['for a new database, from its first file on', sized('1m'), ['secret.key']],
      ['for a new database, up to its last files', sized('38m'), ['secret.key']],
    ]),
  ])('that has no room at the first start %s is named, and keeps nothing half made', async (_what, prepare, files) => {
    const refused = await start({ prepare })
    isSentence(refused, /^SLIPWAY_DATA_DIR: the data folder \/.* cannot be used: there is no room left on its disk\n/)
    expect(refused.files).toEqual(files)
  })

  // The test before has a full disk at a first start, `faults/database.test.ts` one under a server that runs.
  longIt('that has no room at a later start is named, and keeps its database', async () => {
    placeEmptyDatabase(dataDir)
    const prepare = `cp -a "$1/database" /tmp/slipway-test-$$; ${sized('100m')}
      mv /tmp/slipway-test-$$ "$1/database"; head -c 200000000 /dev/zero > "$1/other" 2> /dev/null || true`
    const refused = await start({ prepare, env: { SLIPWAY_SECRET_KEY: SECRET_KEY } })
    isSentence(refused, /^SLIPWAY_DATA_DIR: the data folder \/.* cannot be used: there is no room left on its disk\n/)
    expect(refused.files).toEqual(['database', 'other'])
  })

  it.each<[string, string, string]>([
    ['that this user may not write', 'chmod 500 "$1"', 'this user may not write there'],
    ...inLongForm<[string, string, string]>([
      [
        'on a file system that is read-only',
        `${sized('1m')}; mount -o remount,ro "$1"`,
        'its file system is read-only',
      ],
      ['that is a file', 'rmdir "$1"; touch "$1"', 'it is not a folder'],
    ]),
  ])('%s is named, with and without a key of its own', async (_what, prepare, reason) => {
    const key = { SLIPWAY_SECRET_KEY: SECRET_KEY }
    // With a key, the database is the first that writes. In the short form the file of the key is.
    for (const env of [{}, ...inLongForm([key])]) {
      const refused = await start({ prepare, env })
      isSentence(refused, new RegExp(`^SLIPWAY_DATA_DIR: the data folder /.* cannot be used: ${reason}\n`))
      rmSync(dataDir, { recursive: true, force: true })
      dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-start-'))
    }
  })
})

describe('an address', { timeout: START_MS }, () => {
  let server: Server
  beforeEach(async () => {
    placeEmptyDatabase(dataDir)
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => server.close())

  it('whose port is taken is named, before an agent is touched', async () => {
    const { port } = server.address() as AddressInfo
    const refused = await start({ env: { SLIPWAY_PORT: String(port) } })
    isSentence(refused, new RegExp(`^SLIPWAY_PORT: another program listens on port ${port} of 127.0.0.1\n`))
    expect(refused.files).toEqual(['database', 'secret.key'])
  })

  // The test before has a port that cannot be had, either.
  longIt('whose port is for root alone is named', async () => {
    const refused = await start({ env: { SLIPWAY_PORT: '80', SLIPWAY_HOST: '0.0.0.0' }, ownNetwork: true })
    isSentence(refused, /^SLIPWAY_PORT: this user may not listen on port 80: choose one from 1024 on\n/)
  })

  // In the short form a port that is taken.
  it.each(
    inLongForm<[string, RegExp]>([
      ['192.0.2.1', /^SLIPWAY_HOST: this machine does not have the address 192.0.2.1\n/],
      ['nowhere.invalid', /^SLIPWAY_HOST: there is no address for the name nowhere.invalid\n/],
    ]),
  )('that this machine does not have is named: %s', async (host, sentence) => {
    isSentence(await start({ env: { SLIPWAY_HOST: host } }), sentence)
  })
})

describe('a PostgreSQL server', { timeout: START_MS }, () => {
  /** The address of the tests' PostgreSQL server, with another database, user or port. */
  const address = (change: Partial<Pick<URL, 'pathname' | 'username' | 'port' | 'hostname'>>): string => {
    const url = new URL(inject('databaseServer').url)
    return Object.assign(url, { password: 'canary', ...change }).href
  }

  it.each<[string, () => string, string]>([
    ...inLongForm<[string, () => string, string]>([
      ['without a listener', () => 'postgresql://slipway:canary@127.0.0.1:1/x', 'cannot be reached'],
      ['whose name has several addresses', () => 'postgresql://slipway:canary@localhost:1/x', 'cannot be reached'],
      ['whose name has none', () => 'postgresql://slipway:canary@nowhere.invalid/x', 'cannot be reached'],
    ]),
    ['without that database', () => address({ pathname: '/nowhere' }), 'cannot be used'],
    ...inLongForm<[string, () => string, string]>([
      ['that does not know the user', () => address({ username: 'nobody' }), 'cannot be used'],
    ]),
  ])('%s is named, without the password', async (_what, url, verb) => {
    const refused = await start({ env: { SLIPWAY_DATABASE_URL: url() } })
    isSentence(refused, new RegExp(`SLIPWAY_DATABASE_URL ${verb}: .+`))
    expect(refused.said).not.toContain('canary')
  })
})

// In the short form a folder that this user may not write.
longIt('a folder beside a PostgreSQL server that is read-only is named', { timeout: START_MS }, async () => {
  const server = inject('databaseServer')
  const name = `slipway_test_${randomBytes(8).toString('hex')}`
  await queryOnce(server.url, `CREATE DATABASE ${name} TEMPLATE ${server.template}`)
  const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  const env = { SLIPWAY_DATABASE_URL: url, SLIPWAY_SECRET_KEY: SECRET_KEY }
  const refused = await start({ prepare: `${sized('1m')}; mount -o remount,ro "$1"`, env })
  await queryOnce(server.url, `DROP DATABASE ${name} WITH (FORCE)`)
  isSentence(refused, /^SLIPWAY_DATA_DIR: the data folder \/.* cannot be used: its file system is read-only\n/)
})

describe('a secret key', { timeout: START_MS }, () => {
  // `config.test.ts` reads files that are missing, cut short and for others to read.
  it.each<[what: string, env: Record<string, string>, sentence: RegExp]>([
    ['that is too short', { SLIPWAY_SECRET_KEY: 'short' }, /^SLIPWAY_SECRET_KEY: the secret key must have at least 32/],
    ...inLongForm<[string, Record<string, string>, RegExp]>([
      ['in a file that is missing', { SLIPWAY_SECRET_KEY_FILE: '/nowhere' }, /^SLIPWAY_SECRET_KEY_FILE names a file/],
    ]),
  ])('%s is named', async (_what, env, sentence) => {
    isSentence(await start({ env }), sentence)
  })

  // `config.test.ts`, “is not taken from a file that others may read”.
  longIt('that others may read is named', async () => {
    writeFileSync(join(dataDir, 'secret.key'), SECRET_KEY, { mode: 0o644 })
    isSentence(await start(), /^SLIPWAY_DATA_DIR: secret.key must be readable by its owner alone/)
  })
})
