/** Sets, lists, switches and removes connectors, and decrypts those in force for one task. */
import type { Connector, SetConnector } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Signal } from '../../../lib/emitter.ts'
import { notFound } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import { changesOf } from '../../audit/audited.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { McpServer } from '../../providers/headless/mcp/server.ts'
import { levelsOf, mayUsePersonal, type Situation } from '../provision/in-force.ts'
import type { Keyring } from '../secret-key/keyring.ts'
import { type CredentialOwner, type Holder, ownerKey, targetOf } from '../owner.ts'
import type { SecretKeyState } from '../secret-key/state.ts'
import type { SetSecret } from '../service.ts'
import { type Definition, definitionOf, type ShownSettings } from './definition.ts'
import { connectorPlace, type ConnectorRepository, type StoredConnector } from './repository.ts'

interface Parts {
  readonly repository: ConnectorRepository
  readonly keyring: Keyring
  readonly state: SecretKeyState
  readonly clock: Clock
  readonly newId: NewId
  readonly wasSet: Signal<SetSecret>
}

/** The connectors of one task, decrypted. Keep them no longer than its start. */
export interface OpenConnectors {
  readonly servers: readonly McpServer[]
  readonly secrets: readonly string[]
  /** Whether one of them is the user's own, which no other user must see. */
  readonly personal: boolean
}

export const NO_CONNECTORS: OpenConnectors = { servers: [], secrets: [], personal: false }

const UNREADABLE: ShownSettings = {
  ...{ command: null, args: null, env: null, url: null, headers: null },
  hasOauthToken: false,
  secrets: [],
}

export class ConnectorService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Without secrets, sorted by name. */
  async list(owner: CredentialOwner): Promise<Connector[]> {
    return (await this.#parts.repository.of(owner)).map((row) => this.#present(row))
  }

  /** Throws `VALIDATION`, `NOT_FOUND`, `TOO_MANY_CONNECTORS`, `SECRET_KEY_MISMATCH`, `AUDIT_REFUSED`. */
  async set(caller: Caller, holder: Holder, name: string, body: SetConnector): Promise<Connector> {
    const { repository, keyring, state, clock, newId, wasSet } = this.#parts
    const { owner } = holder
    const { kind, enabled = true } = body
    const definition = definitionOf(body)
    const text = JSON.stringify(definition)
    const place = connectorPlace({ owner: ownerKey(owner), name, kind })
    const stored = await repository.set(
      owner,
      (keyId) => {
        const sealed = keyring.seal(state.keyForWriting(keyId), place, text)
        return { id: newId(), name, kind, enabled, ...sealed, setById: caller.userId, setAt: new Date(clock.now()) }
      },
      (before, after) => ({
        ...entryOf(caller, holder, name, { changes: changesOf('Connector', before, after) }),
        action: 'connector.set',
      }),
    )
    // The agent was deleted meanwhile.
    if (!stored) throw notFound()
    for (const secret of definition.secrets) wasSet.emit({ owner, secret })
    return this.#present(stored)
  }

  /** Throws `NOT_FOUND` if it is not set, and `AUDIT_REFUSED`. */
  async switch(caller: Caller, holder: Holder, name: string, enabled: boolean): Promise<Connector> {
    const stored = await this.#parts.repository.switch(holder.owner, name, enabled, (before, after) => ({
      ...entryOf(caller, holder, name, { changes: changesOf('Connector', before, after) }),
      action: 'connector.switched',
    }))
    if (!stored) throw notFound()
    return this.#present(stored)
  }

  /** Throws `NOT_FOUND` if it is not set, and `AUDIT_REFUSED`. */
  async remove(caller: Caller, holder: Holder, name: string): Promise<void> {
    const entry = { ...entryOf(caller, holder, name, {}), action: 'connector.removed' } as const
    if (!(await this.#parts.repository.remove(holder.owner, name, entry))) throw notFound()
  }

  /** The users who set connectors of an agent; null for deleted accounts. */
  async settersIn(agentId: string): Promise<readonly (string | null)[]> {
    return (await this.#parts.repository.of({ type: 'agent', id: agentId })).map(({ setById }) => setById)
  }

  /**
   * What a task of this user in this agent gets: of each name the agent's connector, else the user's own, else the
   * platform's. One that is switched off hides none of another level. One that cannot be read is left out, and no other
   * level replaces it.
   */
  async inForce(situation: Situation): Promise<OpenConnectors> {
    const levels = levelsOf(situation).filter(({ source }) => source !== 'user' || mayUsePersonal(situation))
    const stored = situation.useCredentials ? await this.#parts.repository.of(...levels.map(({ owner }) => owner)) : []
    const names = new Set<string>()
    const servers: McpServer[] = []
    const secrets: string[] = []
    let personal = false
    for (const { source, owner } of levels)
      for (const row of stored.filter((one) => one.enabled && one.owner === ownerKey(owner))) {
        if (names.has(row.name)) continue
        names.add(row.name)
        const definition = this.#open(row)
        if (!definition) continue
        servers.push({ name: row.name, transport: definition.transport })
        secrets.push(...definition.secrets)
        personal ||= source === 'user'
      }
    return { servers, secrets, personal }
  }

  /** The secrets of all connectors of these owners, for masking. */
  async secretsOf(owners: readonly CredentialOwner[]): Promise<string[]> {
    return (await this.#parts.repository.of(...owners)).flatMap((row) => this.#open(row)?.secrets ?? [])
  }

  #open(row: StoredConnector): Definition | null {
    const text = this.#parts.keyring.open(row, connectorPlace(row))
    // Only this server can have sealed it.
    return text === null ? null : (JSON.parse(text) as Definition)
  }

  #present(row: StoredConnector): Connector {
    const { name, kind, enabled, setAt, setBy } = row
    const definition = this.#open(row)
    const { args, secrets, ...shown } = definition?.shown ?? UNREADABLE
    return {
      ...{ name, kind, enabled, ...shown },
      args: args && [...args],
      secrets: [...secrets],
      readable: definition !== null,
      setAt: setAt.toISOString(),
      setBy,
    }
  }
}

const entryOf = (caller: Caller, holder: Holder, connector: string, more: object) => ({
  actor: actorOf(caller),
  target: targetOf(holder),
  detail: { of: holder.owner.type, connector, ...more },
})
