/**
 * Records of sessions: their start and end, the origin of left processes, and the sessions that a killed server left
 * open.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { RunReason } from '@slipway/protocol'
import { Batches } from '../../../lib/batches.ts'
import { notFound } from '../../../lib/errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import type { Log } from '../../../lib/log.ts'
import { isDatabaseGone } from '../../../database/errors.ts'
import { agentEvent } from '../../agents/recorded.ts'
import { type Actor, PLATFORM } from '../../audit/actor.ts'
import type { Audit, AuditEntry, Facts } from '../../audit/audit.ts'
import { actorOf, type Caller, proofOf } from '../../identity/caller.ts'
import type { Ending } from '../ending.ts'
import type { PastSession } from './past-session.ts'
import type { GrantedClaim } from '../claim.ts'
import type { FormerUser, LeftSession, Origin, SessionRepository, StoredEnd } from './repository.ts'

/** How a session ended. Only an exec and a run can time out. */
export interface SessionEnd {
  readonly reason: Ending['reason'] | RunReason | 'server_killed'
  readonly exitCode?: number | null
}

/** The mode of an exec, a program without a terminal. */
export const EXEC_MODE = 'exec'
/** The mode of a run of a coding CLI. */
export const RUN_MODE = 'task'
/** The mode of a program over SSH, with a terminal or without. */
export const SSH_MODE = 'ssh'
/**
 * Delays before each retry when the end of a session cannot be written, in milliseconds; three quarters of a minute in
 * all.
 */
const RETRY_MS: readonly number[] = [100, 500, 2_000, 10_000, 30_000]

/** The task of a session, as a fact of its start and its end: one task may have several sessions. */
interface OfTask {
  readonly taskId?: string
}

/** A session that has not ended, with the facts that the record of its end needs. */
interface Open extends OfTask {
  readonly mode: string
  readonly task: boolean
  readonly actor: Actor
  readonly agent: Pick<GrantedClaim['row'], 'id' | 'name' | 'ownerEmail'>
  /** The time since its start, in milliseconds. */
  readonly lasted: () => number
}

interface Parts {
  readonly repository: SessionRepository
  readonly audit: Pick<Audit, 'recordNow'>
  readonly log: Log
  /** Called with the agent of each session that begins or ends. */
  readonly happened: (agentId: string) => void
  /** Replaces {@link RETRY_MS} in tests. */
  readonly retryMs?: readonly number[]
}

/** What the audit log calls a session. */
const subjectOf = ({ mode, task = false }: Pick<GrantedClaim, 'mode' | 'task'>): 'exec' | 'task' | 'terminal' =>
  mode === EXEC_MODE || mode === SSH_MODE ? 'exec' : mode === RUN_MODE || task ? 'task' : 'terminal'

export class SessionRecords {
  readonly #parts: Parts
  readonly #open = new Map<string, Open>()
  /** Writes in progress by session. The end is written after the start, and no user waits for either while typing. */
  readonly #writing = new Map<string, Promise<void>>()
  /** Ends that are being written, or were given up. A client that reconnects asks for its session's end at once. */
  readonly #unwritten = new Map<string, Pick<PastSession, 'endReason' | 'exitCode'>>()
  /** Many users reconnect at the same time when a network is back, so their entries are written in batches. */
  readonly #returns = new Batches<AuditEntry>((entries) => this.#parts.audit.recordNow(...entries), isDatabaseGone)
  readonly #stopping = new AbortController()
  #left: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Call it before the program starts. Throws `AUDIT_REFUSED`, and `NOT_FOUND` if the agent or the user is gone
   * meanwhile.
   */
  async begin(claim: GrantedClaim, facts: Facts = {}): Promise<void> {
    const {
      sessionId,
      caller,
      row,
      relation,
      mode,
      personal,
      cliSessionId = null,
      tab = null,
      task = false,
      askedBy = caller,
    } = claim
    const ofTask: OfTask = claim.taskId === undefined ? {} : { taskId: claim.taskId }
    const actor = actorOf(askedBy)
    const inTab = tab === null ? {} : { tab }
    const event = agentEvent(row, { sessionId, ...ofTask, mode, ...inTab, relation, ...facts })
    const action = `${subjectOf(claim)}.started` as const
    // Added before the row exists, so that the recovery does not take the row for a session that was left.
    const beganAt = performance.now()
    this.#open.set(sessionId, { mode, task, ...ofTask, actor, agent: row, lasted: () => performance.now() - beganAt })
    try {
      const via = proofOf(caller.via)
      const of = { agentId: row.id, userId: caller.userId, mode, tab }
      const session = { id: sessionId, ...of, personal, cliSessionId, task, via }
      if (!(await this.#parts.repository.begin(session, { actor, action, ...event }))) throw notFound()
      this.#parts.happened(row.id)
    } catch (error) {
      this.#open.delete(sessionId)
      throw error
    }
  }

  /**
   * Call it before the user is attached again; `caller` and `relation` are the current ones. Throws like {@link begin}.
   */
  attached(
    { sessionId, mode, row }: GrantedClaim,
    { caller, relation }: Pick<GrantedClaim, 'caller' | 'relation'>,
  ): Promise<void> {
    const event = agentEvent(row, { sessionId, mode, relation })
    return this.#returns.add({ actor: actorOf(caller), action: 'terminal.attached', ...event })
  }

  /** Call it before the other user can type. Throws like {@link begin}. */
  async controlMoved(
    actor: Actor,
    { sessionId, row }: Pick<GrantedClaim, 'sessionId' | 'row'>,
    move: { readonly to: string } | { readonly takenBackFrom: string | null },
  ): Promise<void> {
    const [action, facts] =
      'to' in move
        ? (['terminal.control_given', { to: move.to }] as const)
        : (['terminal.control_taken_back', { from: move.takenBackFrom }] as const)
    const entry = { actor, action, ...agentEvent(row, { sessionId, ...facts }) }
    // A user who types can leave a start-up file behind.
    if ('to' in move && move.to !== row.ownerEmail) await this.#parts.repository.lend(row.id, entry)
    else await this.#parts.audit.recordNow(entry)
  }

  /** The sessions among these that a user started before `until`; empty for an admin. */
  ofUser(ids: readonly string[], userId: string, until: Date): Promise<Set<string>> {
    return this.#parts.repository.ofUser(ids, userId, until)
  }

  /** Users who had sessions with agents in which they have no right now; at most `count`. */
  formerUsers(count: number): Promise<FormerUser[]> {
    return this.#parts.repository.formerUsers(count)
  }

  /** The record of a user's session with an agent. */
  async find(id: string, of: { agentId: string; userId: string }): Promise<PastSession | null> {
    if (!isUuid(id)) return null
    const unwritten = this.#unwritten.get(id)
    const found = await this.#parts.repository.find(id, of)
    return found && { ...found, ...(unwritten && { endReason: unwritten.endReason, exitCode: unwritten.exitCode }) }
  }

  /** Whose terminal a session is, whether it has ended or not; null if there is no such terminal. */
  async terminal(sessionId: string): Promise<{ agentId: string; userId: string } | null> {
    return isUuid(sessionId) ? this.#parts.repository.owned(sessionId, [EXEC_MODE, RUN_MODE, SSH_MODE]) : null
  }

  /** Records the session's first process. */
  running(sessionId: string, leader: string): void {
    this.#note(sessionId, () => this.#parts.repository.setLeader(sessionId, leader))
  }

  /** Records the proof with which the user reconnected. The session depends on this proof from now on. */
  broughtBack(sessionId: string, caller: Caller): void {
    this.#note(sessionId, () => this.#parts.repository.setProof(sessionId, proofOf(caller.via)))
  }

  #note(sessionId: string, write: () => Promise<void>): void {
    this.#write(sessionId, () =>
      write().catch((error: unknown) =>
        this.#parts.log.error({ sessionId, err: error }, 'session could not be recorded'),
      ),
    )
  }

  /**
   * Records the end of a session. If the database fails, the write is retried for a while. After that the session stays
   * open in the database, and the next start ends it there.
   */
  ended(sessionId: string, end: SessionEnd): void {
    const open = this.#open.get(sessionId)
    if (!open) return
    this.#open.delete(sessionId)
    const { mode, task, taskId, actor, agent } = open
    this.#parts.happened(agent.id)
    const ofTask: OfTask = taskId === undefined ? {} : { taskId }
    const seconds = Math.round(open.lasted() / 100) / 10
    const exitCode = end.exitCode ?? null
    const action = `${subjectOf({ mode, task })}.ended` as const
    const entry = {
      actor,
      action,
      ...agentEvent(agent, { sessionId, ...ofTask, mode, reason: end.reason, exitCode, seconds }),
    } as const
    const data = { endedAt: new Date(), endReason: end.reason, exitCode }
    this.#unwritten.set(sessionId, data)
    this.#write(sessionId, async () => {
      if (await this.#writeEnd(sessionId, data, entry)) this.#unwritten.delete(sessionId)
    })
  }

  /** Whether this backend has ended the session and the database does not have its end yet, or has refused it. */
  isOver(sessionId: string): boolean {
    return this.#unwritten.has(sessionId)
  }

  /**
   * The session continues without this backend, or is out of its reach. It now counts as left, and the {@link onLeft}
   * listener is called.
   */
  letGo(sessionId: string): void {
    this.#open.delete(sessionId)
    this.#left()
  }

  /** Sets the one listener for sessions that {@link letGo} releases. */
  onLeft(listener: () => void): void {
    this.#left = listener
  }

  /** Resolves when all records so far are written or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  /** From now on a failed write is retried only once. Resolves like {@link settled}. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.settled()
  }

  /** The sessions among these that have not ended. */
  going(sessionIds: readonly string[]): Promise<Set<string>> {
    return this.#parts.repository.going(sessionIds)
  }

  origins(agentId: string, sessionIds: readonly string[]): Promise<Map<string, Origin>> {
    return this.#parts.repository.origins(agentId, sessionIds)
  }

  /** The sessions that an earlier backend did not end. From now on this backend can record their {@link ended}. */
  async leftOpen(): Promise<LeftSession[]> {
    const left = await this.#parts.repository.open([...this.#open.keys(), ...this.#writing.keys()])
    return left.map(({ session, email, agent, taskId }) => {
      const { id, mode, task = false, userId, startedAt } = session
      const actor: Actor = { ...PLATFORM, userId, email }
      // It started under another backend, so only the wall clock is left, which may have been set back.
      const lasted = (): number => Math.max(0, Date.now() - startedAt.getTime())
      this.#open.set(id, { mode, task, ...(taskId !== undefined && { taskId }), actor, agent, lasted })
      return session
    })
  }

  /** False if the end was given up. */
  async #writeEnd(sessionId: string, end: StoredEnd, entry: AuditEntry): Promise<boolean> {
    const { repository, log, retryMs = RETRY_MS } = this.#parts
    for (let tries = 0; ; tries += 1)
      try {
        await repository.end(sessionId, end, entry)
        return true
      } catch (error) {
        const wait = retryMs[tries]
        const isLast = wait === undefined || (this.#stopping.signal.aborted && tries > 0)
        log.error({ sessionId, err: error, again: !isLast }, 'the end of a session could not be recorded')
        if (isLast) return false
        await delay(wait, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => undefined)
      }
  }

  #write(sessionId: string, write: () => Promise<void>): void {
    const before = this.#writing.get(sessionId) ?? Promise.resolve()
    const written = before.then(write).finally(() => {
      if (this.#writing.get(sessionId) === written) this.#writing.delete(sessionId)
    })
    this.#writing.set(sessionId, written)
  }
}
