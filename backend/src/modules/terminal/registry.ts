/** Who may hold which terminal: one session for each user and agent, and the way to all of them when a right is taken. */
import type { LiveSession, Relation } from '@slipway/protocol'
import { Signal } from '../../lib/emitter.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { Caller } from '../identity/caller.ts'
import type { Revocation } from '../identity/revocations.ts'
import { type Ending, rightTaken, shareTaken, signedOut } from './ending.ts'
import type { Session } from './session.ts'

/** A place for one session, held from the moment its user was let in until the session ended. */
export interface Slot {
  readonly sessionId: string
  readonly caller: Caller
  readonly row: AgentRow
  readonly relation: Relation
  readonly mode: string
  /** Null until the program runs. */
  session: Session | null
  /** Set when it is to end although the program does not run yet. */
  ended: Ending | null
}

type Wanted = Pick<Slot, 'sessionId' | 'caller' | 'row' | 'relation' | 'mode'>

const keyOf = (caller: Caller, agentId: string): string => `${caller.userId}:${agentId}`

export class TerminalRegistry {
  /** Tells the id of an agent whose sessions changed. */
  readonly changed: Signal<string>
  readonly #slots = new Map<string, Slot>()
  /** Sessions that ended and whose processes are being ended, by session. */
  readonly #leaving = new Map<string, { readonly agentId: string; readonly gone: Promise<void> }>()
  #stopping: Ending | null = null

  constructor(changed: Signal<string>) {
    this.changed = changed
  }

  /** Null when this user has a session with this agent already. */
  reserve(wanted: Wanted): Slot | null {
    const key = keyOf(wanted.caller, wanted.row.id)
    if (this.#slots.has(key)) return null
    const slot: Slot = { ...wanted, session: null, ended: this.#stopping }
    this.#slots.set(key, slot)
    return slot
  }

  /** The program runs. When the slot was ended meanwhile, so is the session. */
  opened(slot: Slot, session: Session): void {
    slot.session = session
    if (slot.ended) session.end(slot.ended)
    else this.changed.emit(slot.row.id)
  }

  /** Only the slot's own holder can release it: the next session of the same user is another slot. */
  release(slot: Slot): void {
    const key = keyOf(slot.caller, slot.row.id)
    if (this.#slots.get(key) !== slot) return
    this.#slots.delete(key)
    if (!slot.session) return
    const { sessionId } = slot
    const gone = slot.session.gone.catch(() => undefined).finally(() => this.#leaving.delete(sessionId))
    this.#leaving.set(sessionId, { agentId: slot.row.id, gone })
    this.changed.emit(slot.row.id)
  }

  endWhere(matches: (slot: Slot) => boolean, ending: Ending): void {
    for (const slot of [...this.#slots.values()]) {
      if (!matches(slot)) continue
      slot.ended ??= ending
      slot.session?.end(ending)
    }
  }

  revoked(revocation: Revocation): void {
    if (revocation.kind === 'sign_in')
      return this.endWhere(
        ({ caller: { via } }) => via.kind === 'sign_in' && via.signInId === revocation.signInId,
        signedOut,
      )
    if (revocation.kind === 'api_token')
      return this.endWhere(
        ({ caller: { via } }) => via.kind === 'api_token' && via.tokenId === revocation.tokenId,
        rightTaken,
      )
    const { userId, because } = revocation
    // A changed role takes only what the role gave.
    this.endWhere(
      ({ caller, relation }) => caller.userId === userId && (because !== 'role_changed' || relation === 'admin'),
      rightTaken,
    )
  }

  unshared(agentId: string, userId: string): void {
    this.endWhere(
      ({ row, caller, relation }) => row.id === agentId && caller.userId === userId && relation === 'sharee',
      shareTaken,
    )
  }

  live(agentId: string): LiveSession[] {
    return [...this.#slots.values()]
      .filter((slot) => slot.row.id === agentId && slot.session !== null)
      .map(({ sessionId, caller, mode }) => ({ sessionId, userId: caller.userId, email: caller.email, mode }))
  }

  /** The sessions whose processes are accounted for: those that go on, and those being ended. */
  attended(agentId: string): Set<string> {
    const leaving = [...this.#leaving].filter(([, session]) => session.agentId === agentId).map(([id]) => id)
    return new Set([...this.live(agentId).map((session) => session.sessionId), ...leaving])
  }

  /** Ends everything and waits until no process of any session is left. */
  async stop(ending: Ending): Promise<void> {
    this.#stopping = ending
    this.endWhere(() => true, ending)
    await Promise.all([...this.#leaving.values()].map((session) => session.gone))
  }
}
