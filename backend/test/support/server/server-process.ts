/** The server as a separate process, which a test can kill. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Agent, SignedIn } from '@slipway/protocol'
import { until } from '@slipway/testing'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')
const ADMIN = { email: 'admin@example.org', password: 'correct horse battery' }
/** A start opens the database, and may have to recover it. Milliseconds. */
const START_MS = 120_000

interface Answer<T> {
  readonly status: number
  readonly body: T
}

/** Null until it says it. Throws if it has ended, with its reason in the output of the test. */
const addressIn = (said: string, { exitCode, signalCode }: ChildProcess): string | null => {
  if (exitCode !== null || signalCode !== null) throw new Error(`it ended with ${exitCode ?? signalCode ?? 'nothing'}`)
  return /For programs\D+(http:\S+)/.exec(said)?.[1] ?? null
}

/** A server process. Its data is in the folder that the test gives, so that the next process can continue with it. */
export class ServerProcess {
  readonly #child: ChildProcess
  readonly #output: { readonly said: string }
  readonly #address: string
  readonly #token: string

  private constructor(child: ChildProcess, output: { said: string }, address: string, token: string) {
    this.#child = child
    this.#output = output
    this.#address = address
    this.#token = token
  }

  static async start(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...process.env,
        SLIPWAY_PORT: '0',
        SLIPWAY_LOG_LEVEL: 'silent',
        SLIPWAY_ADMIN_EMAIL: ADMIN.email,
        SLIPWAY_ADMIN_PASSWORD: ADMIN.password,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = { said: '' }
    child.stdout.on('data', (chunk: Buffer) => (output.said += chunk.toString()))
    const address = await until('the server', () => addressIn(output.said, child), START_MS).catch((cause: unknown) => {
      child.kill('SIGKILL')
      throw new Error(`the server did not start:\n${output.said}`, { cause })
    })
    const response = await fetch(`${address}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ADMIN),
    })
    const { accessToken } = (await response.json()) as SignedIn
    return new ServerProcess(child, output, address, accessToken)
  }

  async call<T = Agent>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${this.#address}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...headers,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T }
  }

  /** `http://127.0.0.1:<port>`. */
  get address(): string {
    return this.#address
  }

  /** Its output so far, with its log. */
  get said(): string {
    return this.#output.said
  }

  /** Stops all of it for a while: nothing of it runs, and its sockets stay open. {@link end} with SIGCONT wakes it up. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  /** Sends a signal. Answers the exit code, or null if the signal killed the process. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    // `close` comes after the process's output has been read.
    const gone = once(this.#child, 'close')
    this.#child.kill(signal)
    const [code] = (await gone) as [number | null]
    return code
  }

  /** Kills the process, which cannot clean up. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}
