/** What each coding CLI would use in a terminal opened now: a saved credential, the home's own sign-in, or nothing. */
import type { CliAccess } from '@slipway/protocol'
import type { AgentRow } from '../../agents/rows.ts'
import type { Snapshot } from '../../agents/state/board.ts'
import type { Caller } from '../../identity/caller.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'
import type { AgentOf, Provisioner } from '../../credentials/provision/provision.ts'
import type { HomeSignIns } from './home.ts'

/** An id that no agent has. */
const NO_AGENT = '00000000-0000-0000-0000-000000000000'

interface Parts {
  readonly provisioner: Pick<Provisioner, 'inForce'>
  readonly homes: Pick<HomeSignIns, 'of' | 'isKnown'>
  readonly agents: { snapshot(row: AgentRow): Pick<Snapshot, 'runningId'> }
}

export class CliAccessService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * For a caller's terminals in an agent. The service looks at the home only if a CLI has no credential and the agent
   * runs.
   */
  async inAgent(caller: Caller, row: AgentRow): Promise<CliAccess[]> {
    const { homes, agents } = this.#parts
    const { runningId } = agents.snapshot(row)
    return this.#access(caller, row, async () => (runningId === null ? null : homes.of(runningId)))
  }

  /** For a caller's terminals in a new agent of their own. */
  async inNewAgent(caller: Caller): Promise<CliAccess[]> {
    const agent = { id: NO_AGENT, ownerId: caller.userId, useCredentials: true, useGitToken: false }
    return this.#access(caller, agent, async () => new Set())
  }

  async #access(
    caller: Caller,
    agent: AgentOf,
    lookAtHome: () => Promise<ReadonlySet<string> | null>,
  ): Promise<CliAccess[]> {
    const { provisioner, homes } = this.#parts
    const inForce = await provisioner.inForce(caller, agent)
    const all = PROVIDERS.flatMap(({ id, mode, services }) => {
      if (services === undefined) return []
      const own = services.flatMap((service) => inForce.find((one) => one.service === service) ?? [])
      const isGiven = own.some(({ source, because }) => source !== 'none' && because !== 'unreadable')
      const because = own.find((one) => one.because !== null)?.because ?? null
      return [{ mode, isGiven, answer: { runtime: id, because: isGiven ? null : because } }]
    })
    const signedIn = all.every(({ isGiven }) => isGiven) ? null : await lookAtHome()
    return all.map(({ mode, isGiven, answer }) => {
      if (isGiven) return { ...answer, by: 'credential' }
      if (signedIn === null || !homes.isKnown(mode)) return { ...answer, by: 'unknown' }
      return { ...answer, by: signedIn.has(mode) ? 'home' : 'none' }
    })
  }
}
