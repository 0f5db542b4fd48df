/** Which coding CLIs an agent has, and whether they could sign in. */
import type { CliProviderTest, CodingAgentStatus, CodingAgentTest, TestCodingAgent } from '@slipway/protocol'
import { asAppError } from '../../../runtime/app-error.ts'
import type { AgentService, Found } from '../../agents/service.ts'
import type { Provision, Provisioner } from '../../credentials/provision/provision.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Action } from '../../access/policy.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'
import { canUse, servicesFor } from '../../providers/launch.ts'
import { builtInProvider, type TaskProvider } from '../../providers/task-provider.ts'
import type { HomeSignIns } from '../../sessions/cli/home.ts'
import { engineUnavailable, notRunning } from '../../sessions/ending.ts'
import { asFailure } from '../../sessions/failure.ts'
import type { InstalledClis } from './installed.ts'
import type { ProviderService } from './service.ts'

export interface StatusDeps {
  readonly agents: Pick<AgentService, 'require' | 'snapshot' | 'only'>
  readonly service: ProviderService
  readonly installed: InstalledClis
  readonly homes: Pick<HomeSignIns, 'of'>
  readonly provisioner: Pick<Provisioner, 'provide'>
}

/** `lookAgain`: a user has asked for a test. */
type Look = 'look' | 'lookAgain'

const BUILT_IN = PROVIDERS.flatMap(({ id }) => builtInProvider(id) ?? [])

export class StatusService {
  readonly #deps: StatusDeps

  constructor(deps: StatusDeps) {
    this.#deps = deps
  }

  /**
   * Of every built-in provider, and of the caller's own. Versions may be five minutes old, and all else is as of now.
   * Throws `WRONG_STATE` if the agent does not run.
   */
  async all(caller: Caller, agent: string | undefined): Promise<CodingAgentStatus[]> {
    const found = await this.#locate(caller, agent, 'task.view')
    return this.#of(found, [...BUILT_IN, ...(await this.#deps.service.active(caller))])
  }

  /** Of one provider. Throws `VALIDATION` and `WRONG_STATE`. */
  async one(caller: Caller, { provider: id, agent }: TestCodingAgent): Promise<CodingAgentTest> {
    const found = await this.#locate(caller, agent, 'task.start')
    const [status] = await this.#of(found, [await this.#deps.service.forTask(caller, id)], 'lookAgain')
    const { provider = id, installed = false, configured = false, version = null } = status ?? {}
    return { provider, available: installed, installed, configured, version, ptyAvailable: true }
  }

  /** Of a custom provider, active or not. Throws `NOT_FOUND` and `WRONG_STATE`. */
  async custom(caller: Caller, id: string, agent: string | undefined): Promise<CliProviderTest> {
    const { binary } = await this.#deps.service.require(caller, id)
    const found = await this.#locate(caller, agent, 'task.start')
    const installed = (await this.#look(found, [binary], 'lookAgain')).get(binary)
    return { installed: installed !== undefined, version: installed?.version ?? null, binary }
  }

  #locate(caller: Caller, agent: string | undefined, action: Action): Promise<Found> {
    const { agents } = this.#deps
    return agent === undefined ? agents.only(caller, action) : agents.require(caller, agent, action)
  }

  async #of(found: Found, providers: readonly TaskProvider[], look: Look = 'look'): Promise<CodingAgentStatus[]> {
    const { homes, provisioner } = this.#deps
    const { caller, row } = found
    const containerId = this.#containerOf(found)
    const [installed, provision, signedIn] = await Promise.all([
      this.#look(found, [...new Set(providers.map(({ binary }) => binary))], look),
      provisioner.provide(caller, row),
      homes.of(containerId),
    ])
    return providers.map((provider) => {
      const { stored, label, headless, binary, installCommand, authMethod } = provider
      const cli = installed.get(binary)
      const hasApiKey = hasKey(provider, provision)
      // A look into the home finds built-in CLIs only, by the names of their programs.
      const isSignedIn = authMethod === 'both' && signedIn?.has(binary) === true
      return {
        provider: stored.provider,
        displayName: label,
        installed: cli !== undefined,
        hasApiKey,
        configured: hasApiKey || isSignedIn || authMethod === 'none',
        authMethod,
        version: cli?.version ?? null,
        takesConnectors: headless.takesServers ?? false,
        ptyAvailable: true,
        installCommand,
        defaultModel: stored.provider === row.runtime ? row.model : null,
      }
    })
  }

  async #look(found: Found, binaries: readonly string[], look: Look): ReturnType<InstalledClis['look']> {
    return this.#deps.installed[look](this.#containerOf(found), binaries).catch((error: unknown) => {
      throw asAppError(error)
    })
  }

  #containerOf({ row }: Found): string {
    const { runningId, reason } = this.#deps.agents.snapshot(row)
    if (runningId !== null) return runningId
    throw asFailure(reason?.code === 'engine_unavailable' ? engineUnavailable : notRunning(row.name))
  }
}

/** Whether a task would get a key for this provider. */
const hasKey = ({ services, keyVariable }: TaskProvider, provision: Provision): boolean => {
  const { env, given } = provision.environment(servicesFor(services))
  return keyVariable === null ? canUse(services, given) : (env[keyVariable] ?? '') !== ''
}
