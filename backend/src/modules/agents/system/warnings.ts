/** Problems of this installation's engine, network and agents that an admin should fix. Checked once after each start. */
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
  message: `Agents can reach ${METADATA}, where clouds hand out the keys of the machine. Set the firewall rule of docs/operating/isolation.md.`,
  url: 'https://www.rfc-editor.org/rfc/rfc3927',
}

const sharedUid = (agents: number): SystemWarning => ({
  code: 'shared_uid',
  subject: 'agents',
  severity: 'medium',
  message: `${agents} agents of an earlier version share one user, so each can use up fs.inotify.max_user_instances for the others: raise it with sysctl on the engine's machine, or replace them with new agents.`,
  url: 'https://man7.org/linux/man-pages/man7/inotify.7.html',
})

const SEVERITIES: readonly SystemWarning['severity'][] = ['critical', 'high', 'medium']

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'components' | 'run'>
  readonly log: Log
  /** How many agents have no user id of their own. */
  countSharingUid(): Promise<number>
}

type Subject = 'engine' | 'linkLocal' | 'users'

export class SystemWarnings {
  readonly #parts: Parts
  readonly #seen = new Map<Subject, readonly SystemWarning[]>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The worst first. */
  get all(): SystemWarning[] {
    const rank = ({ severity }: SystemWarning): number => SEVERITIES.indexOf(severity)
    return [...this.#seen.values()].flat().toSorted((a, b) => rank(a) - rank(b))
  }

  /**
   * Checks what no earlier look could check: the engine, the agents' user ids, and the network from inside the system agent's
   * container. `containerId` is null if that does not run. Each warning is logged once, even with concurrent looks.
   */
  async look(containerId: string | null): Promise<void> {
    await Promise.all([
      this.#see('engine', () => this.#parts.runtime.components().then(holesIn)),
      this.#see('users', async () => {
        const agents = await this.#parts.countSharingUid()
        return agents > 1 ? [sharedUid(agents)] : []
      }),
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
    for (const { code, message } of warnings) this.#parts.log.warn({ code }, message)
  }

  async #probe(containerId: string): Promise<readonly SystemWarning[]> {
    const options = { argv: PROBE, timeoutMs: PROBE_MS, maxOutputBytes: 0 }
    const { exitCode } = await this.#parts.runtime.run(containerId, options)
    return exitCode === 0 ? [LINK_LOCAL_OPEN] : []
  }
}
