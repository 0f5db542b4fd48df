/** Who may hold which terminal: one session for each user and agent, and the way to all of them when a right is taken. */
import type { LiveSession, Relation } from '@slipway/protocol'
import { Signal, type Since } from '../../lib/emitter.ts'
import { byRevocation, byUnsharing } from '../access/taken.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { Caller } from '../identity/caller.ts'
import type { Revocation } from '../identity/revocations.ts'
import { type Ending, nowShared, revokedBy, shareTaken } from './ending.ts'
import type { Attended } from './processes.ts'
import type { Session } from './session.ts'

/** A place for one session, held from the moment its user was let in until the session ended. */
export interface Slot {
  readonly sessionId: string
  /** Who holds it, with the rights that they came with last. */
  caller: Caller
  readonly row: AgentRow
  relation: Relation
  readonly mode: string
  /** What the client that came last calls itself. */
  client: string | null
  /** Null until the program runs. */
  session: Session | null
  /**
   * Whether its environment holds, or may come to hold, a credential of its user's own. Others must not come to see it,
   * so it is set before anybody is asked.
   */
  personal: boolean
  /** Set when it is to end although the program does not run yet. */
  ended: Ending | null
}

/** Whose it is and what it belongs to: enough to decide whether it has to end. */
export type Held = Wanted & Readonly<Pick<Slot, 'personal'>>
/** The same before it has a place. */
export type Wanted = Readonly<Pick<Slot, 'sessionId' | 'caller' | 'row' | 'relation' | 'mode'>>
/** What decides it; whoever came by a link may be a stranger to the agent. */
export type Matches = (held: Pick<Held, 'caller' | 'row' | 'personal'> & { relation: Relation | null }) => boolean

/** Something that has to end. */
export interface Missed {
  readonly matches: Matches
  readonly ending: Ending
}

/** What was ended since somebody set out for a place, which may have been theirs. */
export type Arrival = Since<Missed>

/** Whether it may come to hold its user's own credentials, as long as it is not known better. */
export const mayBePersonal = ({ caller, relation }: Pick<Wanted, 'caller' | 'relation'>): boolean =>
  relation === 'owner' && caller.via.kind === 'sign_in'

const keyOf = (userId: string, agentId: string): string => `${userId}:${agentId}`

/** A program that runs in a terminal from now on, or has ended. */
export interface SessionNews {
  readonly slot: Slot
  /** Null: it has begun. */
  readonly ending: Ending | null
}

export class TerminalRegistry {
  /** Tells the id of an agent whose sessions changed. */
  readonly changed: Signal<string>
  /** Tells what has to end, to whoever else holds something open in an agent. */
  readonly endings = new Signal<Missed>()
  /** Tells each session's beginning and its end. */
  readonly news: Signal<SessionNews>
  readonly #slots = new Map<string, Slot>()
  /** Sessions that ended and whose processes are being ended, with their agents. */
  readonly #leaving = new Map<string, Attended & { readonly agentId: string; readonly gone: Promise<void> }>()
  #stopping: Ending | null = null
  /** Called when a place, or the last process of a session, is gone. */
  #freed: () => void = () => undefined

  constructor(changed: Signal<string>, news: Signal<SessionNews> = new Signal()) {
    this.changed = changed
    this.news = news
  }

  /**
   * Call before anything is asked about a caller: a right that is taken between the answer and the place would else be
   * missed, since whoever takes it finds no session to end.
   */
  arrive(): Arrival {
    return this.endings.since()
  }

  /** Null when this user has a session with this agent already. Look at `ended`: the place may be lost already. */
  reserve(wanted: Wanted, arrival: Arrival): Slot | null {
    const key = keyOf(wanted.caller.userId, wanted.row.id)
    if (this.#slots.has(key)) return null
    const { sessionId, caller, row, relation, mode } = wanted
    const place = { sessionId, caller, row, relation, mode }
    const slot: Slot = {
      ...place,
      client: null,
      session: null,
      personal: mayBePersonal(wanted),
      ended: this.#stopping,
    }
    slot.ended ??= arrival.settle(({ matches }) => matches(slot))?.ending ?? null
    this.#slots.set(key, slot)
    return slot
  }

  /** The place that a user has with an agent. */
  of(userId: string, agentId: string): Slot | null {
    return this.#slots.get(keyOf(userId, agentId)) ?? null
  }

  /** The place of a session whose program runs. */
  bySession(sessionId: string): (Slot & { readonly session: Session }) | null {
    for (const slot of this.#slots.values())
      if (slot.sessionId === sessionId && slot.session !== null && slot.session.ending === null)
        return slot as Slot & { readonly session: Session }
    return null
  }

  /** Its user takes it with these rights. Null, or why they cannot: something of theirs was taken on the way, or it ended. */
  comeBack(slot: Slot, { caller, relation }: Pick<Wanted, 'caller' | 'relation'>, arrival: Arrival): Ending | null {
    const held = { ...slot, caller, relation }
    const lost = arrival.settle(({ matches }) => matches(held))?.ending ?? slot.ended ?? slot.session?.ending
    if (lost) return lost
    slot.caller = caller
    slot.relation = relation
    return null
  }

  /** The program runs. When the slot was ended meanwhile, so is the session. */
  opened(slot: Slot, session: Session): void {
    slot.session = session
    this.news.emit({ slot, ending: null })
    if (slot.ended) session.end(slot.ended)
    else this.changed.emit(slot.row.id)
  }

  /** Only the slot's own holder can release it: the next session of the same user is another slot. */
  release(slot: Slot): void {
    const key = keyOf(slot.caller.userId, slot.row.id)
    if (this.#slots.get(key) !== slot) return
    this.#slots.delete(key)
    if (!slot.session) return this.#freed()
    this.news.emit({ slot, ending: slot.session.ending })
    const { sessionId } = slot
    const gone = slot.session.gone
      .catch(() => undefined)
      .finally(() => {
        this.#leaving.delete(sessionId)
        this.#freed()
      })
    this.#leaving.set(sessionId, { sessionId, leader: slot.session.leader, agentId: slot.row.id, gone })
    this.changed.emit(slot.row.id)
  }

  endWhere(matches: Matches, ending: Ending): void {
    this.endings.emit({ matches, ending })
    for (const slot of [...this.#slots.values()]) {
      if (!matches(slot)) continue
      slot.ended ??= ending
      slot.session?.end(ending)
    }
  }

  revoked(revocation: Revocation): void {
    const taken = byRevocation(revocation)
    this.endWhere((held) => taken.from(held), revokedBy(revocation))
  }

  unshared(agentId: string, userId: string): void {
    const taken = byUnsharing(agentId, userId)
    this.endWhere((held) => taken.from(held), shareTaken)
  }

  /** Who holds a place now. */
  callers(): Caller[] {
    return [...this.#slots.values()].map(({ caller }) => caller)
  }

  /** Sessions whose program runs. */
  get size(): number {
    let size = 0
    for (const { session } of this.#slots.values()) if (session !== null) size += 1
    return size
  }

  /** Whoever it is shared with could read the environment of what runs in it. */
  shared(agentId: string): void {
    this.endWhere(({ row, personal }) => row.id === agentId && personal, nowShared)
  }

  /** Agents with a session that is open now. */
  agents(): string[] {
    const open = [...this.#slots.values()].filter((slot) => slot.session !== null)
    return [...new Set(open.map((slot) => slot.row.id))]
  }

  live(agentId: string): LiveSession[] {
    return [...this.#slots.values()]
      .filter((slot) => slot.row.id === agentId && slot.session !== null)
      .map(({ sessionId, caller, mode, session }) => ({
        sessionId,
        userId: caller.userId,
        email: caller.email,
        mode,
        waits: session?.waits ?? false,
        recorded: session?.recorded ?? 'nothing',
      }))
  }

  /** The sessions whose processes are accounted for: those that go on, and those being ended. */
  attended(agentId: string): Attended[] {
    const leaving = [...this.#leaving.values()].filter((session) => session.agentId === agentId)
    const open = [...this.#slots.values()].filter(({ row, session }) => row.id === agentId && session !== null)
    const held = open.map(({ sessionId, session }) => ({ sessionId, leader: session?.leader ?? null }))
    return [...held, ...leaving]
  }

  /** Resolves when the ended sessions with this agent have no process left. */
  async left(agentId: string): Promise<void> {
    const leaving = [...this.#leaving.values()].filter((session) => session.agentId === agentId)
    await Promise.all(leaving.map((session) => session.gone))
  }

  /**
   * Lets go of every session that goes on without this backend, and ends the others; waits until no process of those is left,
   * of those that are just being started, too.
   */
  async stop(ending: Ending): Promise<void> {
    this.#stopping = ending
    for (const { session } of [...this.#slots.values()]) session?.release(ending)
    this.endWhere(() => true, ending)
    while (this.#slots.size > 0 || this.#leaving.size > 0)
      await new Promise<void>((resolve) => {
        this.#freed = resolve
      })
  }
}
