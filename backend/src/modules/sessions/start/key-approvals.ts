/** Answers a CLI's question about a key in its environment before the CLI starts. */
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { keyApprovals } from '../../providers/catalogue.ts'

/**
 * Longest time for one answer, in milliseconds. Node.js starts slowly on a busy machine, and without an answer Claude
 * asks its user. A page gives up a start after 35 s of silence.
 */
const TIMEOUT_MS = 20_000
/** Most answers remembered. Beyond this number the oldest is dropped, and written again when needed. */
const MAX_KNOWN = 10_000

export class KeyApprovals {
  readonly #runtime: Pick<ContainerRuntime, 'run'>
  readonly #log: Log
  /** The last answer for each container and variable. */
  readonly #known = new Map<string, string>()

  constructor(runtime: Pick<ContainerRuntime, 'run'>, log: Log) {
    this.#runtime = runtime
    this.#log = log
  }

  /** Approves each key of this environment in a container. If that fails, the CLI asks its user. */
  async approve(containerId: string, env: Readonly<Record<string, string>>): Promise<void> {
    for (const { label, approval, key } of keyApprovals(env)) {
      const place = `${containerId}:${approval.variable}`
      const input = approval.inputOf(key)
      if (this.#known.get(place) === input) continue
      if (await this.#run(containerId, label, approval.script, input)) this.#remember(place, input)
    }
  }

  async #run(containerId: string, label: string, script: string, input: string): Promise<boolean> {
    try {
      const { exitCode } = await this.#runtime.run(containerId, {
        argv: ['node', '--input-type=module', '-e', script],
        // As input: every process of the container can read arguments.
        input: Buffer.from(input),
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: 0,
      })
      if (exitCode === 0) return true
      this.#log.warn({ containerId, label, exitCode }, 'a key could not be approved, so the CLI asks about it')
    } catch (error) {
      this.#log.warn({ containerId, label, err: error }, 'a key could not be approved, so the CLI asks about it')
    }
    return false
  }

  #remember(place: string, input: string): void {
    this.#known.delete(place)
    this.#known.set(place, input)
    if (this.#known.size <= MAX_KNOWN) return
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest)
      return
    }
  }
}
