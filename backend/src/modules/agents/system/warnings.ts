/** Problems of this installation's engine and network that an admin should fix. Checked once after each start. */
import type { SystemWarning } from '@slipway/protocol'
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { holesIn } from './engine-holes.ts'

/** Clouds serve the machine's keys at this address. */
const METADATA = '169.254.169.254'
/** Longest time for the probe, in milliseconds. */
const PROBE_MS = 8_000
/** Connects and sends nothing. */
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
   * Checks what no earlier look could check: the engine, and the network from inside the system agent's container.
   * `containerId` is null if that does not run. Each warning is logged once, even with concurrent looks.
   */
  async look(containerId: string | null): Promise<void> {
    await Promise.all([
      this.#see('engine', () => this.#runtime.components().then(holesIn)),
      containerId !== null && this.#see('linkLocal', () => this.#probe(containerId)),
    ])
  }

  /** After a failure the next look checks the subject again. */
  async #see(subject: Subject, lookAt: () => Promise<readonly SystemWarning[]>): Promise<void> {
    if (this.#seen.has(subject)) return
    const warnings = await lookAt().catch(() => null)
    // A concurrent look may have been faster.
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
