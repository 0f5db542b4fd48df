/**
 * A backend as a separate process, as users run it. It has its own session, too: the kernel divides cores between
 * sessions (autogroup, sched(7)), and a service shares none with its clients.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../../backend/src/main.ts', import.meta.url))
/** How much of its output is kept to explain a failure, in characters. */
const KEPT_OUTPUT = 8_000
/**
 * Longest time of a stop in order, which first ends every session's processes, in milliseconds. Then the process is
 * killed.
 */
const STOP_MS = 30_000

export class Backend {
  readonly url: string
  /** The address of Node's inspector, if the flags started one. */
  readonly inspector: string | null
  readonly #child: ChildProcess
  #stopping = false
  #output = ''

  private constructor(url: string, inspector: string | null, child: ChildProcess) {
    this.url = url
    this.inspector = inspector
    this.#child = child
  }

  /** Resolves when it listens. Its Node gets the flags in `SLIPWAY_BENCH_NODE_FLAGS`, for profiling: `--cpu-prof`. */
  static async start(env: Record<string, string>, nodeFlags: readonly string[] = []): Promise<Backend> {
    const flags = (process.env.SLIPWAY_BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '')
    const child = spawn(process.execPath, [...nodeFlags, ...flags, MAIN], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    let backend: Backend | null = null
    let inspector: string | null = null
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: string): void => {
        output = (output + chunk).slice(-KEPT_OUTPUT)
        if (backend) backend.#output = output
        inspector ??= /Debugger listening on (ws:\S+)/.exec(output)?.[1] ?? null
        const found = /do not find it: (http\S+)\n/.exec(output)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stdout.setEncoding('utf8').on('data', read)
      child.stderr.setEncoding('utf8').on('data', read)
      child.on('error', reject)
      child.on('exit', (code) => reject(new Error(`the backend ended with ${code}:\n${output}`)))
    })
    const started = (backend = new Backend(url, inspector, child))
    child.on('exit', (code, signal) => {
      if (!started.#stopping) process.stderr.write(`bench: the backend ended with ${signal ?? code}:\n${output}\n`)
    })
    return started
  }

  /** The end of its log since it listens. */
  get lastOutput(): string {
    return this.#output
  }

  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error('the backend has no process')
    return pid
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    this.#stopping = true
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#stopping = true
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(timer)
  }
}
