/** A PostgreSQL server of one test, which the test can stop and start. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './port.ts'
import { until } from './until.ts'
import pg from 'pg'

/** User id of `nobody`. PostgreSQL refuses to run as root. */
const NOBODY = 65_534

/** Whether PostgreSQL's programs are in this machine's PATH. */
export const hasPostgres = ((): boolean => {
  try {
    execFileSync('initdb', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** Settings of a server whose data a test does not need again: it does not wait until its writes are on the disk. */
const NOT_KEPT = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'].flatMap((setting) => ['-c', setting])

/** Runs one statement on a connection of its own. */
export async function queryOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export class Postgres {
  readonly #isKept: boolean
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-test-postgres-'))
  readonly #as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  #port = 0
  #process: ChildProcess | null = null

  /** `isKept: false`: the data may be lost with the server. */
  constructor({ isKept = true }: { readonly isKept?: boolean } = {}) {
    this.#isKept = isKept
  }

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.#port}/postgres`
  }

  async start(): Promise<void> {
    const isNew = this.#port === 0
    if (isNew) {
      if ('uid' in this.#as) chownSync(this.#folder, NOBODY, NOBODY)
      const options = ['-D', this.#data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']
      execFileSync('initdb', options, { stdio: 'ignore', cwd: '/', ...this.#as })
    }
    await until('PostgreSQL', async () => {
      // It ends if another program was faster to take the port, which the clients of a server that has run know.
      if (!this.#isRunning) {
        if (isNew) this.#port = await freePort()
        this.#process = this.#spawn()
      }
      return this.#answers()
    })
  }

  /** Kills the server at once, as if the machine had lost power. Clients see their connections break. */
  async kill(): Promise<void> {
    const server = this.#process
    if (!server || !this.#isRunning) return
    const gone = once(server, 'exit')
    server.kill('SIGQUIT')
    await gone
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  get #isRunning(): boolean {
    return this.#process !== null && this.#process.exitCode === null && this.#process.signalCode === null
  }

  #spawn(): ChildProcess {
    const where = ['-D', this.#data, '-p', String(this.#port), '-k', this.#folder, '-h', '127.0.0.1']
    const settings = this.#isKept ? where : [...where, ...NOT_KEPT]
    return spawn('postgres', settings, { stdio: 'ignore', cwd: '/', ...this.#as })
  }

  /** By its socket, which it has only if it has the port, too. On the port another test's server may answer. */
  async #answers(): Promise<boolean> {
    const at = { host: this.#folder, port: this.#port, user: 'postgres', database: 'postgres' }
    const client = new pg.Client(at)
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      return false
    }
  }
}
