/** What an admin should mend about this installation's engine and network: looked at once after each start. */
import type { SystemWarning } from '@slipway/protocol'
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { holesIn } from './engine-holes.ts'

/** Where clouds hand out the keys of the machine. */
const METADATA = '169.254.169.254'
/** Longest that the try may take, in milliseconds. */
const PROBE_MS = 8_000
/** Connects and says nothing. */
const PROBE = ['timeout', '3', 'bash', '-c', `exec 3<>/dev/tcp/${METADATA}/80`]

const LINK_LOCAL_OPEN: SystemWarning = {
  code: 'link_local_open',
  subject: 'network',
  severity: 'critical',
  message: `Agents can reach ${METADATA}, where clouds hand out the keys of the machine. Set the firewall rule of docs/isolation.md.`,
  url: 'https://www.rfc-editor.org/rfc/rfc3927',
}

const SEVERITIES: readonly SystemWarning['severity'][] = ['critical', 'high', 'medium']

type Engine = Pick<ContainerRuntime, 'components' | 'run'>

type Subject = 'engine' | 'linkLocal'

export class SystemWarnings {
  readonly #runtime: Engine
  readonly #log: Log
  readonly #seen = new Map<Subject, readonly SystemWarning[]>()

  constructor(runtime: Engine, log: Log) {
    this.#runtime = runtime
    this.#log = log
  }

  /** The worst first. */
  get all(): SystemWarning[] {
    const rank = ({ severity }: SystemWarning): number => SEVERITIES.indexOf(severity)
    return [...this.#seen.values()].flat().toSorted((a, b) => rank(a) - rank(b))
  }

  /**
   * Looks at what could not be seen yet: at the engine, and at the network from inside the system agent's container,
   * whose id is null where it does not run. Each warning is logged once, however many looks there are at a time.
   */
  async look(containerId: string | null): Promise<void> {
    await Promise.all([
      this.#see('engine', () => this.#runtime.components().then(holesIn)),
      containerId !== null && this.#see('linkLocal', () => this.#probe(containerId)),
    ])
  }

  /** A look that fails leaves its subject to the next one. */
  async #see(subject: Subject, lookAt: () => Promise<readonly SystemWarning[]>): Promise<void> {
    if (this.#seen.has(subject)) return
    const warnings = await lookAt().catch(() => null)
    // Another look, which was on its way as well, may have been faster.
    if (!warnings || this.#seen.has(subject)) return
    this.#seen.set(subject, warnings)
    for (const { code, message } of warnings) this.#log.warn({ code }, message)
  }

  async #probe(containerId: string): Promise<readonly SystemWarning[]> {
    const options = { argv: PROBE, timeoutMs: PROBE_MS, maxOutputBytes: 0 }
    const { exitCode } = await this.#runtime.run(containerId, options)
    return exitCode === 0 ? [LINK_LOCAL_OPEN] : []
  }
}
