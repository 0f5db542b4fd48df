/**
 * Finds which coding CLIs the files of an agent's home sign in. The look runs in the container, where the files are.
 */
import { readFileSync } from 'node:fs'
import { Signal } from '../../../lib/emitter.ts'
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'

/**
 * Longest time that a look may take, in milliseconds. It usually takes a fraction of a second. A starting terminal
 * waits for it.
 */
const TIMEOUT_MS = 3_000
/** Larger than the names of all CLIs, in bytes. */
const MAX_OUTPUT_BYTES = 4_096

const script = readFileSync(new URL('../../providers/scripts/signed-in.mjs', import.meta.url), 'utf8')
const wanted = PROVIDERS.flatMap(({ mode, signedInBy: ways }) => (ways === undefined ? [] : [{ mode, ways }]))
const known = new Set(wanted.map(({ mode }) => mode))

/** What a look into a home has found. */
export interface SeenHome {
  readonly containerId: string
  readonly modes: ReadonlySet<string>
}

export class HomeSignIns {
  /** Emits what each look finds. */
  readonly seen: Signal<SeenHome>
  readonly #runtime: Pick<ContainerRuntime, 'run'>
  readonly #log: Log
  /** The look in progress for each container. Simultaneous callers share it, so only one program runs. */
  readonly #looks = new Map<string, Promise<ReadonlySet<string> | null>>()

  constructor(runtime: Pick<ContainerRuntime, 'run'>, log: Log, seen = new Signal<SeenHome>()) {
    this.seen = seen
    this.#runtime = runtime
    this.#log = log
  }

  /** Whether a look can find the sign-in of the CLI with this mode. */
  isKnown(mode: string): boolean {
    return known.has(mode)
  }

  /**
   * The modes of the CLIs that files of the home sign in; null if the look failed. The container's answer is not
   * trusted: it changes only texts, never a right or a key.
   */
  async of(containerId: string): Promise<ReadonlySet<string> | null> {
    const look = this.#looks.get(containerId) ?? this.#look(containerId).finally(() => this.#looks.delete(containerId))
    this.#looks.set(containerId, look)
    return look
  }

  async #look(containerId: string): Promise<ReadonlySet<string> | null> {
    try {
      const { exitCode, stdout } = await this.#runtime.run(containerId, {
        argv: ['node', '--input-type=module', '-e', script],
        input: Buffer.from(JSON.stringify(wanted)),
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: MAX_OUTPUT_BYTES,
      })
      if (exitCode !== 0) return null
      const found: unknown = JSON.parse(stdout.toString())
      if (!Array.isArray(found)) return null
      const modes = new Set(found.filter((mode): mode is string => known.has(mode as string)))
      this.seen.emit({ containerId, modes })
      return modes
    } catch (error) {
      this.#log.warn({ containerId, err: error }, 'it could not be seen which CLIs a home signs in')
      return null
    }
  }
}
