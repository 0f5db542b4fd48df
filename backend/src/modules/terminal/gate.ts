/** Checks a client before it gets a terminal, in this order: authentication, query, access, limit, container. */
import { AGENT_HOME, type AuthFrame, CloseCode, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Arrival } from '../access/loss.ts'
import { allows } from '../access/policy.ts'
import type { Source } from '../audit/actor.ts'
import type { AgentService, Found, Locate } from '../agents/service.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { actorOf, isSameProof } from '../identity/caller.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import type { Conversation, Conversations } from '../sessions/conversations.ts'
import { engineUnavailable, notRunning, personalCredential, takenOver } from '../sessions/ending.ts'
import { notContinued, requireSame } from './continued.ts'
import { parseAuth } from './frames.ts'
import { BadQueryError, modeFor, modelFor, type Query, readQuery } from './modes.ts'
import { pastEnding } from '../sessions/records/past-session.ts'
import { RefusedError, refusedBy } from './refused.ts'
import type { SessionRecords } from '../sessions/records/records.ts'
import type { Slot, TerminalRegistry } from './registry.ts'
import type { Session } from './session/session.ts'
import type { Viewer } from './session/viewers/viewer.ts'
import type { ControlMove, Person } from './sharing/company.ts'
import { type SessionStarter, unrecorded } from './starter.ts'

/** Size of a new terminal if the client names none. */
const DEFAULT_COLS = 80
const DEFAULT_ROWS = 24

/** What all terminals of this backend share. */
export interface TerminalDeps {
  readonly authenticator: Authenticator
  readonly agents: AgentService
  readonly registry: TerminalRegistry
  readonly records: SessionRecords
  readonly starter: SessionStarter
  readonly conversations: Conversations
  /**
   * Resolves to true once the recovery of the user's session in this agent is finished; to false if that is unknown for
   * now.
   */
  readonly recovered: (userId: string, agentId: string) => Promise<boolean>
  readonly newId: NewId
  readonly log: Log
}

/** A session, and whether it existed before. */
export interface Opened {
  readonly session: Session
  readonly resumed: boolean
  /** Who the client is in the session. */
  readonly person: Person
  /** For a guest, who may not know these: the agent, and the session's user. */
  readonly guest?: { readonly agentName: string; readonly holder: string }
  /** Call it when the client has gone, whether it was attached or not. */
  left?(): void
  /**
   * Call it right before the client is attached: it takes over the session, and the earlier client is told. Throws a
   * {@link RefusedError} if another client was quicker, or the right was lost meanwhile.
   */
  take(): void
}

/** A client that has no session here. */
interface Coming {
  readonly arrival: Arrival
  /** Whether the recovery has settled that an earlier server left none either. */
  readonly isKnown: boolean
  /** What its terminal continues; null: nothing. */
  readonly continued: Conversation | null
}

/** Leads from a first message to a session. */
export interface Entrance<First> {
  /** Throws an {@link AuthFrameError} or a {@link VersionError}. */
  read(text: string): First
  /** Throws a {@link RefusedError} with the text for the client. */
  open(first: First, viewer: Viewer, query: unknown): Promise<Opened>
}

/** Leads users to their own sessions, existing or new. */
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
    // A client that comes back wants its session, whatever that continues.
    const task = auth.session === undefined ? query.task : null
    const isKnown = await this.#deps.recovered(caller.userId, found.row.id)
    const isOwn = task !== null && this.#own(found, task) !== null
    const continued = task === null || isOwn ? null : await this.#continued(found, task)
    // A session has its id in every tab, and the terminal of a task has the task's id.
    const there = this.#own(found, auth.session ?? task) ?? registry.of(caller.userId, found.row.id, query.tab)
    if (there && continued) requireSame(there, continued)
    if (there) return await this.#comeBack(there, found, auth, query, arrival)
    if (auth.session !== undefined) throw await this.#isOver(auth.session, found)
    const session = await this.#begin(found, auth, query, { arrival, isKnown, continued })
    return { session, resumed: false, person: this.#holder(found, session.id), take: () => undefined }
  }

  /** The user's place with this session, whichever tab has it. */
  #own({ caller, row }: Found, sessionId: string | null): Slot | null {
    return this.#deps.registry.ofUser(caller.userId, row.id).find((slot) => slot.sessionId === sessionId) ?? null
  }

  /** Resumes the user's own session, which waits, or which another client has. */
  async #comeBack(slot: Slot, found: Found, auth: AuthFrame, query: Query, arrival: Arrival): Promise<Opened> {
    const { registry, records } = this.#deps
    if (auth.session !== undefined && auth.session !== slot.sessionId) throw await this.#isOver(auth.session, found)
    // The session is being recovered. The client should retry.
    if (!slot.session && auth.session !== undefined) throw refusedBy(engineUnavailable)
    // A session that a token starts has no such credential, so a token must not enter one that does.
    if (slot.session && isKeptFrom(found.caller, slot)) throw refusedBy(personalCredential)
    // A client of version 1 is not told which program runs, so it must not get another one than it requested.
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
      // Not earlier: until the place changes hands, the rights of the earlier client decide when it ends.
      const lost = registry.comeBack(slot, found, arrival)
      if (lost) throw refusedBy(lost)
      if (!isSameProof(via, found.caller.via)) records.broughtBack(slot.sessionId, found.caller)
      const isSame = auth.client !== undefined && auth.client === slot.client
      slot.client = auth.client ?? null
      session.dismiss(takenOver(isSame ? null : found.caller.email))
    }
    return { session, resumed: true, person: this.#holder(found, session.id), take }
  }

  async #begin(found: Found, auth: AuthFrame, query: Query, coming: Coming): Promise<Session> {
    const { agents, registry, starter, conversations, newId, log } = this.#deps
    const { arrival, isKnown, continued } = coming
    const { row } = found
    const own = { mode: modeFor(query, row), model: modelFor(query, row), folder: query.folder ?? AGENT_HOME }
    const program = continued ?? own
    const { mode, model, folder } = program
    const cliSessionId = continued?.cliSessionId ?? null
    const { tab } = query
    const claim = { sessionId: newId(), ...found, mode, cliSessionId, tab }
    const slot = registry.reserve(claim, arrival, row.terminalsPerUser)
    if (!slot) throw this.#noPlace(found, tab)
    slot.client = auth.client ?? null
    try {
      if (slot.ended) throw refusedBy(slot.ended)
      // A new session would end the one that may still run there.
      if (!isKnown) throw refusedBy(engineUnavailable)
      const { runningId, container, reason } = agents.snapshot(row)
      if (runningId === null) {
        if (reason?.code === 'engine_unavailable') throw refusedBy(engineUnavailable)
        if (!container) throw new RefusedError(CloseCode.NOT_RUNNING, TERMINAL_MESSAGE.containerNotFound(row.name))
        throw refusedBy(notRunning(row.name))
      }
      const size = { cols: auth.cols ?? DEFAULT_COLS, rows: auth.rows ?? DEFAULT_ROWS }
      const start = (): Promise<Session> => starter.start(slot, { containerId: runningId, size, model, folder, log })
      if (!continued) return await start()
      return await conversations
        .take(continued, slot, start)
        .catch((error: unknown) => Promise.reject(notContinued(error)))
    } catch (error) {
      registry.release(slot)
      throw error
    }
  }

  /** Why the user got no place: a quicker client has it, or they have as many as the agent allows. */
  #noPlace({ caller, row }: Found, tab: string | null): RefusedError {
    const { terminalsPerUser: most } = row
    const isTaken = most <= 1 || this.#deps.registry.of(caller.userId, row.id, tab) !== null
    const message = isTaken ? TERMINAL_MESSAGE.sessionExists : TERMINAL_MESSAGE.tooManyTerminals(most)
    return new RefusedError(CloseCode.SESSION_EXISTS, message)
  }

  #holder({ caller, row }: Found, sessionId: string): Person {
    const handsOver = (move: ControlMove): Promise<void> =>
      this.#deps.records.controlMoved(actorOf(caller), { sessionId, row }, move)
    return { name: caller.email, isHolder: true, mayControl: true, handsOver }
  }

  async #continued({ caller, row }: Found, task: string): Promise<Conversation> {
    try {
      return await this.#deps.conversations.find(caller, task, row.id)
    } catch (error) {
      throw notContinued(error)
    }
  }

  /** How the session ended that the client wants to resume. */
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
