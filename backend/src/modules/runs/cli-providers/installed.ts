/** Finds out which coding CLIs an agent has, as a task would find them. The container is not trusted: it may lie. */
import { readFileSync } from 'node:fs'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
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
/** How long a version that a program has said is good, in milliseconds. A user may update the program meanwhile. */
const VERSION_KEPT_MS = 5 * MINUTE_MS
/** Most programs that are remembered. If there are more, all are forgotten and looked for again. */
const KNOWN_MAX = 10_000

const LOOK = readFileSync(new URL('look.sh', import.meta.url), 'utf8')
/** The exit code of a program that is missing. Shells do not agree about the one of `command -v`. */
const MISSING = 1
const FIND = `command -v -- "$0" >/dev/null 2>&1 || exit ${MISSING}`

/** A program that an agent has. */
export interface Installed {
  /** Null if the program does not say it. */
  readonly version: string | null
}

export class InstalledClis {
  readonly #runtime: Pick<ContainerRuntime, 'run'>
  readonly #clock: Clock
  /** The programs that were found, with their containers. */
  readonly #known = new Set<string>()
  /** What they said, and until when it is good. A credential changes nothing about it. */
  readonly #versions = new Map<string, { readonly version: string; readonly until: number }>()
  /** The looks under way, by container. */
  readonly #looks = new Map<string, Promise<unknown>>()

  constructor(runtime: Pick<ContainerRuntime, 'run'>, clock: Clock) {
    this.#runtime = runtime
    this.#clock = clock
  }

  /**
   * The programs of this list that a container has, with their versions. A program that has said its version is not
   * started again for five minutes, and requests at the same time start it once. Throws what the engine throws.
   */
  async look(containerId: string, binaries: readonly string[]): Promise<ReadonlyMap<string, Installed>> {
    const underWay = this.#looks.get(containerId)
    if (underWay) await underWay.catch(() => undefined)
    const found = new Map<string, Installed>()
    for (const binary of binaries) {
      const known = this.#versions.get(placeOf(containerId, binary))
      if (known && this.#clock.now() < known.until) found.set(binary, known)
    }
    const rest = binaries.filter((binary) => !found.has(binary))
    if (rest.length === 0) return found
    const look = this.lookAgain(containerId, rest)
    this.#looks.set(containerId, look)
    try {
      return new Map([...found, ...(await look)])
    } finally {
      if (this.#looks.get(containerId) === look) this.#looks.delete(containerId)
    }
  }

  /** Like {@link look}, but starts each program that is there. */
  async lookAgain(containerId: string, binaries: readonly string[]): Promise<ReadonlyMap<string, Installed>> {
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
    for (const binary of binaries) this.#keep(placeOf(containerId, binary), found.get(binary)?.version ?? null)
    return found
  }

  /** A program that is missing, or did not say its version in time, is asked again. */
  #keep(place: string, version: string | null): void {
    this.#versions.delete(place)
    if (version === null) return
    if (this.#versions.size >= KNOWN_MAX) this.#versions.clear()
    this.#versions.set(place, { version, until: this.#clock.now() + VERSION_KEPT_MS })
  }

  /**
   * Whether a container has a program. One that was found is not looked for again: if it is gone meanwhile, the task says
   * so by its exit code.
   *
   * @throws {RuntimeError} when the engine cannot look, or the look is killed before it has an answer
   */
  async has(containerId: string, binary: string): Promise<boolean> {
    const place = placeOf(containerId, binary)
    if (this.#known.has(place)) return true
    const { exitCode } = await this.#runtime.run(containerId, {
      argv: loginArgv(['/bin/sh', '-c', FIND, binary]),
      timeoutMs: LOOK_MS,
      maxOutputBytes: 0,
    })
    if (exitCode === MISSING) return false
    if (exitCode !== 0) throw new RuntimeError('engine_error', `the look for ${binary} ended with ${exitCode}`)
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.add(place)
    return true
  }
}

const placeOf = (containerId: string, binary: string): string => `${containerId} ${binary}`
