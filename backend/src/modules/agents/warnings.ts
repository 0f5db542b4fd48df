/** What an admin should mend about this installation's engine and network: looked at once after each start. */
import type { SystemWarning } from '@slipway/protocol'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { holesIn } from './engine-holes.ts'

/** Where clouds hand out the keys of the machine. */
const METADATA = '169.254.169.254'
/** Longest that the try may take, in milliseconds. */
const PROBE_MS = 8_000
/** Connects and says nothing. */
const PROBE = ['timeout', '3', 'bash', '-c', `exec 3<>/dev/tcp/${METADATA}/80`]

const LINK_LOCAL_OPEN: SystemWarning = {
  code: 'link_local_open',
  message: `Agents can reach ${METADATA}, where clouds hand out the keys of the machine. Set the firewall rule of docs/isolation.md.`,
  url: 'https://www.rfc-editor.org/rfc/rfc3927',
}

type Engine = Pick<ContainerRuntime, 'components' | 'run'>

export class SystemWarnings {
  readonly #runtime: Engine
  readonly #log: Log
  #holes: readonly SystemWarning[] | null = null
  #linkLocal: readonly SystemWarning[] | null = null

  constructor(runtime: Engine, log: Log) {
    this.#runtime = runtime
    this.#log = log
  }

  get all(): SystemWarning[] {
    return [...(this.#holes ?? []), ...(this.#linkLocal ?? [])]
  }

  /** Looks inside the system agent's running container, at what could not be seen yet. */
  async look(containerId: string): Promise<void> {
    if (this.#holes && this.#linkLocal) return
    const known = new Set(this.all.map(({ code }) => code))
    const [holes, linkLocal] = await Promise.all([
      this.#holes ?? this.#runtime.components().then(holesIn, () => null),
      this.#linkLocal ?? this.#probe(containerId),
    ])
    this.#holes ??= holes
    this.#linkLocal ??= linkLocal
    for (const { code, message } of this.all) if (!known.has(code)) this.#log.warn({ code }, message)
  }

  /** Null where it could not be tried. */
  async #probe(containerId: string): Promise<readonly SystemWarning[] | null> {
    const options = { argv: PROBE, timeoutMs: PROBE_MS, maxOutputBytes: 0 }
    const result = await this.#runtime.run(containerId, options).catch(() => null)
    return result && (result.exitCode === 0 ? [LINK_LOCAL_OPEN] : [])
  }
}
