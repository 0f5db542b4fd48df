import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newDataDir } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../src/lib/log.ts'
import { Keyring } from '../src/modules/credentials/secret-key/keyring.ts'
import { openDatabase, type Database } from '../src/database/open.ts'
import { readSecretKey, SECRET_KEY_FILE, PREVIOUS_SECRET_KEY_FILE } from '../src/secret-key.ts'

const MAIN = join(import.meta.dirname, '../src/rotate-key.ts')
/** Enough for several transactions, so that a kill after the first one hits the middle. */
const MANY = 400
const secretOf = (userId: string | null): string => `sk-canary-of-${userId ?? ''}`

let dir: string
beforeEach(() => void (dir = newDataDir()))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const keyFile = (): string => join(dir, SECRET_KEY_FILE)
const previousFile = (): string => join(dir, PREVIOUS_SECRET_KEY_FILE)

const withDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
  const database = await openDatabase({ url: null, dataDir: dir, log: silentLog })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const fill = (secretKey: Uint8Array): Promise<void> =>
  withDatabase(async ({ prisma }) => {
    const ring = new Keyring(secretKey)
    await prisma.secretKeyState.create({ data: { id: 1, keyId: ring.current } })
    const ids = Array.from({ length: MANY }, () => randomUUID())
    await prisma.user.createMany({ data: ids.map((id) => ({ id, email: `${id}@example.org` })) })
    await prisma.credential.createMany({
      data: ids.map((id) => {
        const place = { owner: `user:${id}`, kind: 'openai-api-key', address: null }
        return { id: randomUUID(), userId: id, ...place, ...ring.seal(ring.current, place, secretOf(id)) }
      }),
    })
  })

/** How many of them the current keys decrypt. */
const readable = (ring: Keyring): Promise<number> =>
  withDatabase(async ({ prisma }) => {
    const rows = await prisma.credential.findMany()
    return rows.filter((row) => ring.open(row, row) === secretOf(row.userId)).length
  })

const keyOfFile = (path: string): Uint8Array => new TextEncoder().encode(readFileSync(path, 'utf8').trim())

interface Run {
  readonly code: number | null
  readonly output: string
}

/** Runs the command as a process. When the process has printed `until`, it is killed and cannot clean up. */
const rotateKey = async (
  options: { until?: RegExp; env?: Record<string, string>; argv?: string[] } = {},
): Promise<Run> => {
  const child = spawn(process.execPath, [MAIN, ...(options.argv ?? [])], {
    env: { ...process.env, SLIPWAY_SECRET_KEY: '', SLIPWAY_DATABASE_URL: '', SLIPWAY_DATA_DIR: dir, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const read = (chunk: Buffer): void => {
    output += chunk.toString()
    if (options.until?.test(output)) child.kill('SIGKILL')
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

describe('npm run rotate-key', () => {
  it(
    'makes a new key, loses nothing when it is killed half-way, and then ends what it began',
    { timeout: 240_000 },
    async () => {
      await fill(readSecretKey(undefined, dir))
      const before = readFileSync(keyFile(), 'utf8')
      expect((await rotateKey({ until: / of / })).code).toBeNull()
      const made = readFileSync(keyFile(), 'utf8')
      const [current, previous] = [keyOfFile(keyFile()), keyOfFile(previousFile())]
      const withNew = await readable(new Keyring(current))
      expect(withNew).toBeGreaterThan(0)
      expect(withNew).toBeLessThan(MANY)
      expect(await readable(new Keyring(current, previous))).toBe(MANY)

      const { code, output } = await rotateKey()
      expect(output).toContain('Going on with a rotation that was interrupted')
      expect(output).toContain(
        `Done: ${MANY - withNew} credentials, variables, connectors and webhooks have the new key`,
      )
      expect(code).toBe(0)
      expect(readFileSync(keyFile(), 'utf8')).toBe(made)
      expect(made).not.toBe(before)
      expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
      expect(existsSync(previousFile())).toBe(false)
      expect(await readable(new Keyring(current))).toBe(MANY)
      for (const secret of ['canary', before.trim(), made.trim()]) expect(output).not.toContain(secret)
    },
  )

  // The other tests have the keys in files.
  longIt('takes both keys from the environment, where they are kept elsewhere', async () => {
    const [old, next] = ['the old key, of 32 characters or more', 'the new key, of 32 characters or more']
    await fill(new TextEncoder().encode(old))
    expect(await rotateKey({ env: { SLIPWAY_SECRET_KEY: next } })).toMatchObject({ code: 1 })
    const done = await rotateKey({ env: { SLIPWAY_SECRET_KEY: next, SLIPWAY_PREVIOUS_SECRET_KEY: old } })
    expect(done.output).toContain('without SLIPWAY_PREVIOUS_SECRET_KEY')
    expect(await readable(new Keyring(new TextEncoder().encode(next)))).toBe(MANY)
    expect(existsSync(keyFile())).toBe(false)
  })

  // `src/modules/credentials/secret-key/rotate.test.ts` changes nothing with a wrong key, and gives up what no key can read.
  longIt('leaves everything as it is with a key that is the wrong one', async () => {
    const right = new TextEncoder().encode('the right key, of 32 characters or more')
    await fill(right)
    readSecretKey(undefined, dir)
    const before = readFileSync(keyFile(), 'utf8')
    const { code, output } = await rotateKey()
    expect(output).toContain('encrypted with another secret key')
    expect(code).toBe(1)
    expect(readFileSync(keyFile(), 'utf8')).toBe(before)
    expect(await readable(new Keyring(right))).toBe(MANY)

    const given = await rotateKey({ argv: ['--discard-unreadable'] })
    expect(given).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${MANY} credentials, variables, connectors and webhooks that could not be read`),
    })
    expect(await withDatabase(({ prisma }) => prisma.credential.count())).toBe(0)
  })

  // `plugins/database.test.ts` refuses a folder that is open to a second process.
  longIt('does nothing under a server that runs', async () => {
    await withDatabase(async () => {
      const { code, output } = await rotateKey()
      expect(output).toContain('is open in another process')
      expect(code).toBe(1)
      expect(existsSync(previousFile())).toBe(false)
    })
  })
})
