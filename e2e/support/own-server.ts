/** A server of a test file's own, which its tests may end and start again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Client, signInAdmin } from './api.ts'
import { newDatabase, type TestDatabase } from './database.ts'
import { removeNamespace } from './engine.ts'
import { newNamespace, type Server, startServer } from './server.ts'

/** Its admin and its process are there inside of tests and hooks only. */
export interface OwnServer {
  readonly namespace: string
  readonly dataDir: string
  /** Its process id. */
  readonly pid: number | undefined
  /** The admin, at its present address. */
  readonly admin: Client
  /** Resolves when it is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Starts it again with the same data. */
  start(): Promise<void>
}

/** Call it at the top of a test file. `env` are further variables of the server. */
export const useOwnServer = (env: Readonly<Record<string, string>> = {}): OwnServer => {
  const namespace = newNamespace()
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-data-'))
  let database: TestDatabase
  let server: Server
  let admin: Client
  const start = async (): Promise<void> => {
    server = await startServer({ namespace, dataDir, env: { SLIPWAY_DATABASE_URL: database.url, ...env } })
  }
  beforeAll(async () => {
    database = await newDatabase()
    await start()
    admin = await signInAdmin(server.baseUrl)
  })
  afterAll(async () => {
    await server.stop()
    await database.remove()
    await removeNamespace(namespace)
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    namespace,
    dataDir,
    start,
    get pid() {
      return server.process.pid
    },
    get admin() {
      return admin.at(server.baseUrl)
    },
    end: async (signal) => {
      const { process } = server
      const exited = new Promise((resolve) => process.once('exit', resolve))
      process.kill(signal)
      await exited
    },
  }
}
