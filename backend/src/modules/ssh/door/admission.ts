/** Decides whose key a client has, and whether that person may use the agent that the client names. */
import { AppError } from '../../../lib/errors.ts'
import type { AgentService, Found } from '../../agents/service.ts'
import { SYSTEM_AGENT_NAME } from '../../agents/service.ts'
import type { Source } from '../../audit/actor.ts'
import type { Authenticator } from '../../identity/authenticate.ts'
import type { Caller } from '../../identity/caller.ts'
import { fingerprintOf } from '../../identity/ssh-keys/public-key.ts'
import { isKey, type OfferedKey, type SshKey, type SshKeys } from './keys.ts'

/** A person with a key, and the agent that they may use. */
export interface Admitted {
  readonly found: Found
  readonly key: SshKey
  /** The person as the audit log knows them: with the key. */
  readonly by: Caller
}

/** What {@link Admission} needs. */
export interface AdmissionDeps {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly authenticator: Pick<Authenticator, 'again'>
  readonly keys: Pick<SshKeys, 'find'>
}

export class Admission {
  readonly #deps: AdmissionDeps

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
  }

  /**
   * Null for an unknown key, for a user who is gone, and for an agent that does not exist or that the user may not use. Does not
   * look at the signature. Rejects only if the database does not answer.
   */
  async of(agentName: string, offer: OfferedKey, source: Source): Promise<Admitted | null> {
    const key = await this.#deps.keys.find(fingerprintOf(offer.key.data))
    if (!key || !isKey(key, offer)) return null
    const { userId } = key
    const user = await this.#deps.authenticator.again(userId, { kind: 'user', id: userId })
    if (!user) return null
    const caller = { ...user, source }
    const found = await this.#find(caller, agentName)
    return found && { found, key, by: { ...caller, via: { kind: 'ssh_key', keyId: key.id } } }
  }

  async #find(caller: Caller, name: string): Promise<Found | null> {
    const { agents } = this.#deps
    try {
      if (name === SYSTEM_AGENT_NAME) return await agents.requireSystem(caller, 'system.terminal')
      return await agents.require(caller, name, 'terminal.open')
    } catch (error) {
      if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN')) return null
      throw error
    }
  }
}
