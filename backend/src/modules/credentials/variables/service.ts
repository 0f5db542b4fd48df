/** Sets, lists and removes variables of agents, and decrypts them for one program. */
import type { AgentVariable, SetVariable } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Signal } from '../../../lib/emitter.ts'
import { notFound } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import { changesOf } from '../../audit/audited.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { Keyring } from '../secret-key/keyring.ts'
import type { SecretKeyState } from '../secret-key/state.ts'
import type { SetSecret } from '../service.ts'
import { placeOf, type StoredVariable, type VariableRepository } from './repository.ts'

interface Parts {
  readonly repository: VariableRepository
  readonly keyring: Keyring
  readonly state: SecretKeyState
  readonly clock: Clock
  readonly newId: NewId
  readonly wasSet: Signal<SetSecret>
}

/** The agent of a variable. */
interface AgentOf {
  readonly id: string
  readonly name: string
}

/** The decrypted variables of one agent. Never logged, never kept. */
export interface OpenVariables {
  readonly env: Readonly<Record<string, string>>
  /** Names of the variables that this server's secret key cannot decrypt. */
  readonly unreadable: readonly string[]
  /** The values of secret variables. */
  readonly secrets: readonly string[]
  /** The users who set them; null for deleted accounts. */
  readonly setBy: ReadonlySet<string | null>
}

/** A terminal prints a line break as two characters. */
const asPrinted = (secret: string): string => secret.trim().replaceAll(/\r?\n/g, '\r\n')

export class VariableService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sorted by name, without the values of secret variables. */
  async list(agentId: string): Promise<AgentVariable[]> {
    return (await this.#parts.repository.of(agentId)).map((row) => this.#present(row))
  }

  /** Throws `NOT_FOUND`, `TOO_MANY_VARIABLES`, `SECRET_KEY_MISMATCH`, `AUDIT_REFUSED`. */
  async set(caller: Caller, agent: AgentOf, name: string, { value, secret }: SetVariable): Promise<AgentVariable> {
    const { repository, keyring, state, clock, newId, wasSet } = this.#parts
    const place = placeOf({ agentId: agent.id, name, secret })
    const stored = await repository.set(
      agent.id,
      (keyId) => {
        const sealed = keyring.seal(state.keyForWriting(keyId), place, value)
        return { id: newId(), name, secret, ...sealed, setById: caller.userId, setAt: new Date(clock.now()) }
      },
      (before, after) => ({
        actor: actorOf(caller),
        action: 'variable.set',
        target: agent,
        detail: { variable: name, changes: changesOf('AgentVariable', before, after) },
      }),
    )
    // The agent was deleted meanwhile.
    if (!stored) throw notFound()
    if (secret) wasSet.emit({ owner: { type: 'agent', id: agent.id }, secret: asPrinted(value) })
    return this.#present(stored)
  }

  /** Throws `NOT_FOUND` if it is not set, and `AUDIT_REFUSED`. */
  async remove(caller: Caller, agent: AgentOf, name: string): Promise<void> {
    const detail = { variable: name }
    const entry = { actor: actorOf(caller), action: 'variable.removed', target: agent, detail } as const
    if (!(await this.#parts.repository.remove(agent.id, name, entry))) throw notFound()
  }

  /** What a program of the agent gets. An unreadable variable is left out. */
  async open(agentId: string): Promise<OpenVariables> {
    const env: Record<string, string> = {}
    const unreadable: string[] = []
    const secrets: string[] = []
    const rows = await this.#parts.repository.of(agentId)
    for (const row of rows) {
      const value = this.#open(row)
      if (value === null) unreadable.push(row.name)
      else env[row.name] = value
      if (value !== null && row.secret) secrets.push(asPrinted(value))
    }
    return { env, unreadable, secrets, setBy: new Set(rows.map(({ setById }) => setById)) }
  }

  #open(row: StoredVariable): string | null {
    return this.#parts.keyring.open(row, placeOf(row))
  }

  #present(row: StoredVariable): AgentVariable {
    const { name, secret, setAt, setBy } = row
    const value = this.#open(row)
    return { name, secret, value: secret ? null : value, readable: value !== null, setAt: setAt.toISOString(), setBy }
  }
}
