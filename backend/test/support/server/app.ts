/** The real server, ready for `inject`, on a test's database and without an engine. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { loadConfig, type Config } from '../../../src/config.ts'
import { DAY_MS } from '../../../src/lib/time/clock.ts'
import type { DiskWatch } from '../../../src/modules/agents/usage/disk.ts'
import type { Identity } from '../../../src/modules/identity/identity.ts'
import type { Database } from '../../../src/database/open.ts'
import type { SshKeys } from '../../../src/modules/ssh/door/keys.ts'
import type { LogStream } from '../../../src/plugins/server-options.ts'
import type { ContainerRuntime } from '../../../src/runtime/port.ts'
import { TestClock } from '../clock.ts'
import { type TestDatabaseOptions, useDatabase } from '../database/test-database.ts'
import { withDocumentedAnswers } from './documented.ts'
import { noEngine } from '../engine/no-engine.ts'

/** The origin that the server takes for its own, besides `localhost`. */
export const ORIGIN = 'http://127.0.0.1:4700'
/** The installation's secret key in tests. */
export const SECRET_KEY = 'a secret of at least 32 characters'

/** Settings that a test changes. */
export interface TestAppOptions extends TestDatabaseOptions {
  readonly clock?: TestClock
  readonly runtime?: ContainerRuntime
  readonly config?: Partial<Config>
  /** Whose keys the SSH server takes, where the configuration has a port for it. */
  readonly sshKeys?: SshKeys
  /** Receives the log. Without it the server logs nothing. */
  readonly logStream?: LogStream
}

/** A server that is ready, with what a test needs of it. */
export interface TestApp {
  readonly app: FastifyInstance
  readonly identity: Identity
  readonly disk: DiskWatch
  readonly clock: TestClock
  readonly database: Database
  /** The data folder. It is removed when the server closes. */
  readonly dataDir: string
  /** The port of the SSH server; null where there is none. */
  sshPort(): number | null
  /** The kinds of addresses at other host names than the server's own. */
  hostAddresses(): readonly string[]
}

/** Boots the server. The caller closes `app`. */
export async function bootApp(database: Database, options: TestAppOptions = {}): Promise<TestApp> {
  const { clock = new TestClock(), runtime = noEngine, logStream, sshKeys } = options
  const env = {
    SLIPWAY_SECRET_KEY: SECRET_KEY,
    SLIPWAY_STATIC_DIR: '/nonexistent',
    SLIPWAY_LOG_LEVEL: logStream ? 'trace' : 'silent',
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-data-'))
  const config = { ...loadConfig(env), dataDir, ...options.config, ...(logStream ? { logStream } : {}) }
  const parts = { config, database, runtime, version: '0.0.0', clock, ...(sshKeys && { sshKeys }) }
  const { server, identity, disk, sshPort, hostAddresses } = await withDocumentedAnswers(() => buildApp(parts))
  server.addHook('onClose', () => rm(dataDir, { recursive: true, force: true }))
  await server.ready()
  return { app: server, identity, disk, clock, database, dataDir: config.dataDir, sshPort, hostAddresses }
}

/**
 * One server and one database for a test file. After each test the database is emptied, and the test's clock moves on
 * by a day, which ends every throttle.
 */
export function useApp(options: TestAppOptions = {}): () => TestApp {
  const database = useDatabase(options)
  let booted: TestApp | undefined
  const get = (): TestApp => {
    if (!booted) throw new Error('the server is there inside of tests only')
    return booted
  }
  beforeAll(async () => {
    booted = await bootApp(database(), options)
  })
  afterEach(() => get().clock.advance(DAY_MS))
  afterAll(() => booted?.app.close())
  return get
}
