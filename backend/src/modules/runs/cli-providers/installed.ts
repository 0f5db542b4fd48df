/** Finds out which coding CLIs an agent has, as a task would find them. The container is not trusted: it may lie. */
import { readFileSync } from 'node:fs'
import { SECOND_MS } from '../../../lib/clock.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { loginArgv, LOGIN_SECONDS } from '../../sessions/start/login.ts'

/** How long all programs together may take to say their versions, in seconds. Most of them start Node.js. */
const VERSIONS_SECONDS = 45
/** Longest time of a look, in milliseconds: with the login shell and the program that is killed at the end. */
const LOOK_MS = (LOGIN_SECONDS + VERSIONS_SECONDS + 5) * SECOND_MS
/** More than the answers of all providers of a user, in bytes. */
const LOOK_BYTES = 65_536
/** Longest version, in UTF-16 code units. */
const VERSION_MAX = 50
const VERSION = /\d+\.\d+(?:[A-Za-z0-9.+_-]*[A-Za-z0-9])?/
/** Most programs that are remembered. If there are more, all are forgotten and looked for again. */
const KNOWN_MAX = 10_000

const LOOK = readFileSync(new URL('look.sh', import.meta.url), 'utf8')
const FIND = 'command -v -- "$0" >/dev/null 2>&1'

/** A program that an agent has. */
export interface Installed {
  /** Null if the program does not say it. */
  readonly version: string | null
}

export class InstalledClis {
  readonly #runtime: Pick<ContainerRuntime, 'run'>
  /** The programs that were found, with their containers. */
  readonly #known = new Set<string>()

  constructor(runtime: Pick<ContainerRuntime, 'run'>) {
    this.#runtime = runtime
  }

  /** The programs of this list that a container has, with their versions. Throws what the engine throws. */
  async look(containerId: string, binaries: readonly string[]): Promise<ReadonlyMap<string, Installed>> {
    const { stdout } = await this.#runtime.run(containerId, {
      argv: loginArgv(['/bin/sh', '-c', LOOK, 'slipway-look', String(VERSIONS_SECONDS), ...binaries]),
      timeoutMs: LOOK_MS,
      maxOutputBytes: LOOK_BYTES,
    })
    const found = new Map<string, Installed>()
    for (const line of stdout.toString().split('\n')) {
      const [number = '', said = ''] = line.split('\t')
      const binary = /^\d{1,4}$/.test(number) ? binaries[Number(number)] : undefined
      if (binary !== undefined) found.set(binary, { version: VERSION.exec(said)?.[0].slice(0, VERSION_MAX) ?? null })
    }
    return found
  }

  /**
   * Whether a container has a program. One that was found is not looked for again: if it is gone meanwhile, the task says
   * so by its exit code.
   */
  async has(containerId: string, binary: string): Promise<boolean> {
    const place = `${containerId} ${binary}`
    if (this.#known.has(place)) return true
    const { exitCode } = await this.#runtime.run(containerId, {
      argv: loginArgv(['/bin/sh', '-c', FIND, binary]),
      timeoutMs: LOOK_MS,
      maxOutputBytes: 0,
    })
    if (exitCode !== 0) return false
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.add(place)
    return true
  }
}
