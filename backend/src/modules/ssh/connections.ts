/** The connections that are open, and the end of each with the right by which it is. */
import type { Signal } from '../../lib/emitter.ts'
import type { Arrival, Loss } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import type { Caller } from '../identity/caller.ts'
import { endingOfLoss, serverStopping } from '../sessions/ending.ts'
import type { SshConnection } from './connection.ts'
import type { SshKeys } from './door/keys.ts'
import { CONNECTIONS_PER_AGENT, CONNECTIONS_PER_USER } from './limits.ts'

/** The sentence for the user of a removed key. */
export const KEY_REMOVED = 'The key of this connection was removed.'

export class Connections {
  readonly #open: Open<SshConnection>
  #isStopping = false

  constructor(losses: Pick<Signal<Loss>, 'on' | 'since'>, keys: Pick<SshKeys, 'onRemoved'>) {
    this.#open = new Open(losses)
    keys.onRemoved((id) => {
      for (const connection of this.#open.all()) if (connection.keyId === id) connection.end(KEY_REMOVED)
    })
  }

  get size(): number {
    return this.#open.size
  }

  callers(): Caller[] {
    return this.#open.callers()
  }

  /** Call it before looking up anything about a person; see {@link Open}. */
  arrive(): Arrival {
    return this.#open.arrive()
  }

  /** Why there may be no further connection of this user to this agent, or null. */
  refusal(userId: string, agentId: string): string | null {
    if (this.#isStopping) return serverStopping.message
    const all = this.#open.all()
    if (all.filter(({ caller }) => caller.userId === userId).length >= CONNECTIONS_PER_USER)
      return `You have ${CONNECTIONS_PER_USER} connections over SSH, the maximum. Close one.`
    if (all.filter(({ row }) => row.id === agentId).length >= CONNECTIONS_PER_AGENT)
      return `The agent has ${CONNECTIONS_PER_AGENT} connections over SSH, the maximum. Close one.`
    return null
  }

  /** False if the right was lost since `arrival`. From now on a loss ends it. */
  enter(connection: SshConnection, arrival: Arrival): boolean {
    return this.#open.enter(connection, (loss) => connection.end(endingOfLoss(loss).message), arrival) === null
  }

  leave(connection: SshConnection): void {
    this.#open.leave(connection)
  }

  /** Ends all, and lets none in. */
  stop(): void {
    this.#isStopping = true
    for (const connection of this.#open.all()) connection.end(serverStopping.message)
  }
}
