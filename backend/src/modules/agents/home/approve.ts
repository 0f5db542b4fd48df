/**
 * Claude asks once whether it may use a key that it finds in its environment, and remembers the answer by the key's last
 * characters. Whoever set the key here has answered. It is the one trace of a credential that a home comes to hold.
 */
import { readFileSync } from 'node:fs'
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'

/** How many characters Claude remembers of a key: what is left to guess are 80 of an Anthropic key's 108. */
const REMEMBERED = 20
const SCRIPT = readFileSync(new URL('approve.mjs', import.meta.url), 'utf8')
const TIMEOUT_MS = 10_000
/** Answers that are known to be given; the oldest is forgotten first, and then given again. */
const MAX_KNOWN = 10_000

export class KeyApprovals {
  readonly #runtime: Pick<ContainerRuntime, 'run'>
  readonly #log: Log
  /** The last key that was approved in each container. */
  readonly #known = new Map<string, string>()

  constructor(runtime: Pick<ContainerRuntime, 'run'>, log: Log) {
    this.#runtime = runtime
    this.#log = log
  }

  /** Has Claude in this container take the key without asking. When that fails, it asks. */
  async approve(containerId: string, key: string): Promise<void> {
    const end = key.slice(-REMEMBERED)
    if (this.#known.get(containerId) === end) return
    try {
      const { exitCode } = await this.#runtime.run(containerId, {
        argv: ['node', '--input-type=module', '-e', SCRIPT],
        // Not an argument, which every process of the container could read.
        input: Buffer.from(end),
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: 0,
      })
      if (exitCode === 0) return this.#remember(containerId, end)
      this.#log.warn({ containerId, exitCode }, 'Claude could not be told to take the key without asking')
    } catch (error) {
      this.#log.warn({ containerId, err: error }, 'Claude could not be told to take the key without asking')
    }
  }

  #remember(containerId: string, end: string): void {
    this.#known.delete(containerId)
    this.#known.set(containerId, end)
    if (this.#known.size <= MAX_KNOWN) return
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest)
      return
    }
  }
}
