/**
 * The terminals in use. A user has one session in each of their places in an agent: the place without a name, and those
 * with the name of a tab. A session ends if its user loses the right.
 */
import { type LiveSession, type Relation, type TerminalNeed, TERMINALS_PER_USER_DEFAULT } from '@slipway/protocol'
import { Signal } from '../../lib/emitter.ts'
import type { Arrival, Loss } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import type { Caller } from '../identity/caller.ts'
import { type Attended, type Claim, type GrantedClaim, mayBePersonal } from '../sessions/claim.ts'
import { type Ending, endingOfLoss } from '../sessions/ending.ts'
import type { Session } from './session/session.ts'

/** Whether a coding CLI had a credential or a sign-in when it was last looked at. */
export interface SignedIn {
  /** The container whose home decides; null: it has a credential. */
  readonly home: string | null
  /** Null: the home was not looked at. */
  readonly is: boolean | null
}

/** A place for one session. It is taken once its user was let in, and free again after the session's end. */
export interface Slot extends GrantedClaim {
  /** Its user, with the rights of their latest connection. */
  caller: Caller
  relation: Relation
  /** The name of the latest client, from its first message. */
  client: string | null
  /** Null until the program runs. */
  session: Session | null
  /** Absent: it is unknown, or its program needs no sign-in. */
  signedIn?: SignedIn
  /** Set if the session has to end, even if the program does not run yet. */
  ended: Ending | null
}

/** A terminal whose program waits for its user. */
export interface NeedyTerminal {
  readonly userId: string
  readonly agent: string
  /** Whether the agent is the system agent, which has another page. */
  readonly isSystem: boolean
  readonly needs: TerminalNeed
  /** How often it has begun to wait: it differs between two waits of one terminal. */
  readonly times: number
}

/** Neither id contains a colon, so no name of a tab makes two places the same. */
const keyOf = (userId: string, agentId: string, tab: string | null): string => `${userId}:${agentId}:${tab ?? ''}`

/** A session has begun or ended. */
export interface SessionNews {
  readonly slot: Slot
  /** Null: it has begun. */
  readonly ending: Ending | null
}

export class TerminalRegistry {
  /** Emits the id of an agent whose sessions have changed. */
  readonly changed: Signal<string>
  /** Emits the beginning and the end of each session. */
  readonly news: Signal<SessionNews>
  readonly #slots = new Map<string, Slot>()
  readonly #open: Open<Slot>
  /** Sessions that have ended, and whose processes are being ended. */
  readonly #leaving = new Map<string, Attended & { readonly agentId: string; readonly gone: Promise<void> }>()
  #stopping: Ending | null = null
  /** Called when a place is free, or a session's last process has ended. */
  #freed: () => void = () => undefined

  constructor(
    losses: Pick<Signal<Loss>, 'on' | 'since'>,
    changed: Signal<string> = new Signal(),
    news: Signal<SessionNews> = new Signal(),
  ) {
    this.#open = new Open(losses)
    this.changed = changed
    this.news = news
  }

  /** Call it before you look up anything about a caller; see {@link Open}. */
  arrive(): Arrival {
    return this.#open.arrive()
  }

  /**
   * Null if the place is taken, or if this user has `most` places in this agent already. Check `ended`: the right may be
   * lost already.
   */
  reserve(claim: Claim, arrival: Arrival, most = TERMINALS_PER_USER_DEFAULT): Slot | null {
    const { caller, row, tab = null } = claim
    const key = keyOf(caller.userId, row.id, tab)
    if (this.#slots.has(key) || this.ofUser(caller.userId, row.id).length >= most) return null
    const slot: Slot = {
      ...claim,
      client: null,
      session: null,
      personal: mayBePersonal(claim),
      ended: this.#stopping,
    }
    const lost = this.#open.enter(slot, (loss) => this.#end(slot, endingOfLoss(loss)), arrival)
    if (lost) slot.ended ??= endingOfLoss(lost)
    this.#slots.set(key, slot)
    return slot
  }

  /** A place of a user in an agent. */
  of(userId: string, agentId: string, tab: string | null = null): Slot | null {
    return this.#slots.get(keyOf(userId, agentId, tab)) ?? null
  }

  /** All places of a user in an agent, in the order in which they were taken. */
  ofUser(userId: string, agentId: string): Slot[] {
    return [...this.#slots.values()].filter(({ caller, row }) => caller.userId === userId && row.id === agentId)
  }

  /** The place of a session whose program runs. */
  bySession(sessionId: string): (Slot & { readonly session: Session }) | null {
    for (const slot of this.#slots.values())
      if (slot.sessionId === sessionId && slot.session !== null && slot.session.ending === null)
        return slot as Slot & { readonly session: Session }
    return null
  }

  /**
   * Gives the place to its user's new connection, with the rights of that. Returns null, or why not: the right was lost
   * meanwhile, or the session has ended.
   */
  comeBack(slot: Slot, { caller, relation }: Pick<Claim, 'caller' | 'relation'>, arrival: Arrival): Ending | null {
    const held = { ...slot, caller, relation }
    const loss = arrival.settle((one) => one.from(held))
    const lost = loss ? endingOfLoss(loss) : (slot.ended ?? slot.session?.ending)
    if (lost) return lost
    slot.caller = caller
    slot.relation = relation
    return null
  }

  /** The program runs. If the slot was ended meanwhile, the session ends at once. */
  opened(slot: Slot, session: Session): void {
    slot.session = session
    this.news.emit({ slot, ending: null })
    if (slot.ended) session.end(slot.ended)
    else this.changed.emit(slot.row.id)
  }

  /** Frees this place. If it is free already, and the user's next session has another one, that is not touched. */
  release(slot: Slot): void {
    const key = keyOf(slot.caller.userId, slot.row.id, slot.tab ?? null)
    if (this.#slots.get(key) !== slot) return
    this.#slots.delete(key)
    this.#open.leave(slot)
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

  #end(slot: Slot, ending: Ending): void {
    slot.ended ??= ending
    slot.session?.end(ending)
  }

  /** The users who have a place. */
  callers(): Caller[] {
    return [...this.#slots.values()].map(({ caller }) => caller)
  }

  /** Number of sessions whose program runs. */
  get size(): number {
    let size = 0
    for (const { session } of this.#slots.values()) if (session !== null) size += 1
    return size
  }

  /** The agents with an open session. */
  agents(): string[] {
    const open = [...this.#slots.values()].filter((slot) => slot.session !== null)
    return [...new Set(open.map((slot) => slot.row.id))]
  }

  /** Files in the home of this container sign in the CLIs with these modes, and no others. */
  signedInBy(home: string, modes: ReadonlySet<string>): void {
    for (const slot of this.#slots.values()) {
      const is = modes.has(slot.mode)
      if (slot.signedIn?.home !== home || slot.signedIn.is === is) continue
      slot.signedIn = { home, is }
      this.changed.emit(slot.row.id)
    }
  }

  live(agentId: string): LiveSession[] {
    return [...this.#slots.values()]
      .filter((slot) => slot.row.id === agentId && slot.session !== null)
      .map(({ sessionId, caller, mode, session, cliSessionId, signedIn, tab = null }) => ({
        sessionId,
        userId: caller.userId,
        email: caller.email,
        mode,
        ...(tab !== null && { tab }),
        waits: session?.waits ?? false,
        needs: session?.need.what ?? null,
        works: session?.work.is ?? false,
        signedIn: signedIn?.is ?? null,
        continues: cliSessionId ?? null,
        recorded: session?.recorded ?? 'nothing',
      }))
  }

  /** The terminals whose program waits for its user, by session. As many as there are terminals. */
  needing(): ReadonlyMap<string, NeedyTerminal> {
    const found = new Map<string, NeedyTerminal>()
    for (const { sessionId, caller, row, session } of this.#slots.values()) {
      if (session === null || session.ending !== null || session.need.what === null) continue
      const { what: needs, times } = session.need
      const { name: agent, isSystem } = row
      found.set(sessionId, { userId: caller.userId, agent, isSystem, needs, times })
    }
    return found
  }

  /** The sessions that account for processes: those that run, and those that are being ended. */
  attended(agentId: string): Attended[] {
    const leaving = [...this.#leaving.values()].filter((session) => session.agentId === agentId)
    const open = [...this.#slots.values()].filter(({ row, session }) => row.id === agentId && session !== null)
    const held = open.map(({ sessionId, session }) => ({ sessionId, leader: session?.leader ?? null }))
    return [...held, ...leaving]
  }

  /** Resolves when the ended sessions in this agent have no process left. */
  async left(agentId: string): Promise<void> {
    const leaving = [...this.#leaving.values()].filter((session) => session.agentId === agentId)
    await Promise.all(leaving.map((session) => session.gone))
  }

  /**
   * Releases each session that survives this backend, and ends the others. Resolves when the ended ones have no process
   * left, including those that are just being started.
   */
  async stop(ending: Ending): Promise<void> {
    this.#stopping = ending
    for (const { session } of [...this.#slots.values()]) session?.release(ending)
    for (const slot of [...this.#slots.values()]) this.#end(slot, ending)
    while (this.#slots.size > 0 || this.#leaving.size > 0)
      await new Promise<void>((resolve) => {
        this.#freed = resolve
      })
  }
}
