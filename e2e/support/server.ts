/** A server for the tests: the real backend as a process, with its own data folder, port and namespace. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { newDataDir } from '@slipway/testing'
import { removeNamespace } from './engine.ts'

export const ADMIN = { email: 'admin@example.org', password: 'correct horse battery' }

export interface Server {
  readonly baseUrl: string
  readonly namespace: string
  readonly process: ChildProcess
  /** All its output so far. */
  output(): string
  /** Stops it and removes everything that it created. */
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly env?: Record<string, string>
  readonly namespace?: string
  readonly dataDir?: string
}

/** Longest start on two busy cores, in milliseconds. */
const START_MS = 180_000

export const newNamespace = (): string =>
  `${process.env.SLIPWAY_TEST_NAMESPACE ?? 'slipway-test'}-${randomBytes(3).toString('hex')}`

/** If `namespace` and `dataDir` are given, the caller owns them, and they stay. */
export const startServer = async (options: ServerOptions = {}): Promise<Server> => {
  const namespace = options.namespace ?? newNamespace()
  const dataDir = options.dataDir ?? newDataDir()
  const image = process.env.SLIPWAY_TEST_IMAGE
  if (!image) throw new Error('SLIPWAY_TEST_IMAGE names the image for the tests; npm test sets it')
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../backend/src/main.ts')], {
    env: {
      ...process.env,
      SLIPWAY_PORT: '0',
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_NAMESPACE: namespace,
      SLIPWAY_IMAGES: `${image},slipway-test-missing:none`,
      SLIPWAY_ADMIN_EMAIL: ADMIN.email,
      SLIPWAY_ADMIN_PASSWORD: ADMIN.password,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let isUp = false
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not start:\n${output}`))
    }, START_MS)
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      // Searching all output at each line would take too long for a server that prints megabytes.
      if (isUp) return
      const url = /(?:do not find it:|is at(?= https)) (\S+)\n/.exec(output)?.[1]
      if (!url) return
      isUp = true
      clearTimeout(timer)
      resolve(url)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void exited.then(() => reject(new Error(`the server ended:\n${output}`)))
  })
  return {
    baseUrl,
    namespace,
    process: child,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      if (options.namespace === undefined) await removeNamespace(namespace)
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
