/** What stands before a terminal, in this order: authentication, the query, access, the limit, the container. */
import { type AuthFrame, CloseCode, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Arrival } from '../access/loss.ts'
import { allows } from '../access/policy.ts'
import type { Source } from '../audit/actor.ts'
import type { AgentService, Found, Locate } from '../agents/service.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { actorOf, isSameProof } from '../identity/caller.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import { engineUnavailable, notRunning, personalCredential, takenOver } from '../sessions/ending.ts'
import { parseAuth } from './frames.ts'
import { BadQueryError, modeFor, modelFor, type Query, readQuery } from './modes.ts'
import { pastEnding } from '../sessions/past-session.ts'
import { RefusedError, refusedBy } from './refused.ts'
import type { SessionRecords } from '../sessions/records.ts'
import type { Slot, TerminalRegistry } from './registry.ts'
import type { Session } from './session/session.ts'
import type { Viewer } from './session/viewer.ts'
import type { ControlMove, Person } from './sharing/company.ts'
import { type SessionStarter, unrecorded } from './starter.ts'

/** What a program is started with when the client does not say. */
const DEFAULT_COLS = 80
const DEFAULT_ROWS = 24

/** What every terminal of this backend shares. */
export interface TerminalDeps {
  readonly authenticator: Authenticator
  readonly agents: AgentService
  readonly registry: TerminalRegistry
  readonly records: SessionRecords
  readonly starter: SessionStarter
  /** Resolves when what was left of a user's with an agent is back in its place, or gone, with true; false: that cannot be told now. */
  readonly recovered: (userId: string, agentId: string) => Promise<boolean>
  readonly newId: NewId
  readonly log: Log
}

/** A session, and whether it was there before. */
export interface Opened {
  readonly session: Session
  readonly resumed: boolean
  /** Who they are in it. */
  readonly person: Person
  /** What somebody may not know who came by a link: of which agent it is, and whose. */
  readonly guest?: { readonly agentName: string; readonly holder: string }
  /** To be called when they are gone, whether they were attached or not. */
  left?(): void
  /**
   * Call it right before somebody is attached: it is theirs then, and whoever had it is told. Throws a {@link RefusedError}
   * when somebody else has come meanwhile, or what let them in was taken.
   */
  take(): void
}

/** Somebody who has nothing here. */
interface Coming {
  readonly arrival: Arrival
  /** Whether they left nothing either. */
  readonly isKnown: boolean
}

/** The way from a first message to a session. */
export interface Entrance<First> {
  /** Throws an {@link AuthFrameError} or a {@link VersionError}. */
  read(text: string): First
  /** Throws a {@link RefusedError} with what the client is to be told. */
  open(first: First, viewer: Viewer, query: unknown): Promise<Opened>
}

/** Everything between a first message and a running program. */
export class Gate implements Entrance<AuthFrame> {
  readonly read = parseAuth
  readonly #deps: TerminalDeps
  readonly #locate: Locate
  readonly #source: Source

  constructor(deps: TerminalDeps, locate: Locate, source: Source) {
    this.#deps = deps
    this.#locate = locate
    this.#source = source
  }

  async open(auth: AuthFrame, _viewer: Viewer | null, rawQuery: unknown): Promise<Opened> {
    const { authenticator, registry } = this.#deps
    const arrival = registry.arrive()
    const caller = await authenticator.authenticate(auth.token, this.#source)
    if (!caller || !allows(caller, 'terminal.open'))
      throw new RefusedError(CloseCode.UNAUTHENTICATED, TERMINAL_MESSAGE.invalidToken)
    const query = parseQuery(rawQuery)
    const found = await this.#locate(caller)
    const isKnown = await this.#deps.recovered(caller.userId, found.row.id)
    const there = registry.of(caller.userId, found.row.id)
    if (there) return await this.#comeBack(there, found, auth, query, arrival)
    if (auth.session !== undefined) throw await this.#isOver(auth.session, found)
    const session = await this.#begin(found, auth, query, { arrival, isKnown })
    return { session, resumed: false, person: this.#holder(found, session.id), take: () => undefined }
  }

  /** To one's own session that waits, or that another socket is to be taken from. */
  async #comeBack(slot: Slot, found: Found, auth: AuthFrame, query: Query, arrival: Arrival): Promise<Opened> {
    const { registry, records } = this.#deps
    if (auth.session !== undefined && auth.session !== slot.sessionId) throw await this.#isOver(auth.session, found)
    // It is being taken over, which whoever comes back to it waits for.
    if (!slot.session && auth.session !== undefined) throw refusedBy(engineUnavailable)
    // What a token starts has no such credential, so it must not enter what has one.
    if (slot.session && isKeptFrom(found.caller, slot)) throw refusedBy(personalCredential)
    // Who does not hear what runs must not be given something else than they asked for.
    const isOther = auth.v === undefined && query.mode !== null && query.mode !== slot.mode
    const mayTake = (): boolean =>
      !slot.session?.isAttended || auth.takeover === true || (auth.client !== undefined && auth.client === slot.client)
    if (!slot.session || isOther || !mayTake())
      throw new RefusedError(CloseCode.SESSION_EXISTS, TERMINAL_MESSAGE.sessionExists)
    await records.attached(slot, found).catch((error: unknown) => Promise.reject(unrecorded(error)))
    const { session } = slot
    const take = (): void => {
      if (!mayTake()) throw new RefusedError(CloseCode.SESSION_EXISTS, TERMINAL_MESSAGE.sessionExists)
      const { via } = slot.caller
      // Not before the place is theirs: until then the rights of whoever has it are what ends it.
      const lost = registry.comeBack(slot, found, arrival)
      if (lost) throw refusedBy(lost)
      if (!isSameProof(via, found.caller.via)) records.broughtBack(slot.sessionId, found.caller)
      const isSame = auth.client !== undefined && auth.client === slot.client
      slot.client = auth.client ?? null
      session.dismiss(takenOver(isSame ? null : found.caller.email))
    }
    return { session, resumed: true, person: this.#holder(found, session.id), take }
  }

  async #begin(found: Found, auth: AuthFrame, query: Query, { arrival, isKnown }: Coming): Promise<Session> {
    const { agents, registry, starter, newId, log } = this.#deps
    const { row } = found
    const slot = registry.reserve({ sessionId: newId(), ...found, mode: modeFor(query, row) }, arrival)
    if (!slot) throw new RefusedError(CloseCode.SESSION_EXISTS, TERMINAL_MESSAGE.sessionExists)
    slot.client = auth.client ?? null
    try {
      if (slot.ended) throw refusedBy(slot.ended)
      // What goes on there would be ended for this one.
      if (!isKnown) throw refusedBy(engineUnavailable)
      const { runningId, container, reason } = agents.snapshot(row)
      if (runningId === null) {
        if (reason?.code === 'engine_unavailable') throw refusedBy(engineUnavailable)
        if (!container) throw new RefusedError(CloseCode.NOT_RUNNING, TERMINAL_MESSAGE.containerNotFound(row.name))
        throw refusedBy(notRunning(row.name))
      }
      const size = { cols: auth.cols ?? DEFAULT_COLS, rows: auth.rows ?? DEFAULT_ROWS }
      return await starter.start(slot, { containerId: runningId, size, model: modelFor(query, row), log })
    } catch (error) {
      registry.release(slot)
      throw error
    }
  }

  #holder({ caller, row }: Found, sessionId: string): Person {
    const handsOver = (move: ControlMove): Promise<void> =>
      this.#deps.records.controlMoved(actorOf(caller), { sessionId, row }, move)
    return { name: caller.email, isHolder: true, mayControl: true, handsOver }
  }

  /** How a session ended that somebody wants to come back to. */
  async #isOver(sessionId: string, { row, caller }: Found): Promise<RefusedError> {
    const record = await this.#deps.records.find(sessionId, { agentId: row.id, userId: caller.userId })
    return refusedBy(pastEnding(record, row.name))
  }
}

const parseQuery = (query: unknown): Query => {
  try {
    return readQuery(query)
  } catch (error) {
    if (error instanceof BadQueryError) throw new RefusedError(CloseCode.BAD_REQUEST, error.message)
    throw error
  }
}
