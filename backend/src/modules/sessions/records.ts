/** What is recorded of sessions: the origin of what lives on in a container, what a killed server left open, and both ends of each. */
import { setTimeout as delay } from 'node:timers/promises'
import { Batches } from '../../lib/batches.ts'
import { notFound } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { isDatabaseGone } from '../../database/errors.ts'
import { agentEvent } from '../agents/recorded.ts'
import { type Actor, PLATFORM } from '../audit/actor.ts'
import type { Audit, AuditEntry, Facts } from '../audit/audit.ts'
import { actorOf, type Caller, proofOf } from '../identity/caller.ts'
import type { Ending } from './ending.ts'
import type { PastSession } from './past-session.ts'
import type { GrantedClaim } from './claim.ts'
import type { LeftSession, Origin, SessionRepository, StoredEnd } from './repository.ts'

/** How it ended; only a program without a terminal has a time that can be over. */
export interface SessionEnd {
  readonly reason: Ending['reason'] | 'timed_out' | 'server_killed'
  readonly exitCode?: number
}

/** What the mode of a program without a terminal is called. */
export const EXEC_MODE = 'exec'
/** When the end of a session could not be written it is tried again after so many milliseconds each: three quarters of a minute. */
const RETRY_MS: readonly number[] = [100, 500, 2_000, 10_000, 30_000]

/** A session that has begun and not ended, as its end will be recorded. */
interface Open {
  readonly mode: string
  readonly actor: Actor
  readonly agent: Pick<GrantedClaim['row'], 'id' | 'name' | 'ownerEmail'>
  /** For how long, in milliseconds. */
  readonly lasted: () => number
}

interface Parts {
  readonly repository: SessionRepository
  readonly audit: Pick<Audit, 'recordNow'>
  readonly log: Log
  /** Others, for tests. */
  readonly retryMs?: readonly number[]
}

const isExec = (mode: string): boolean => mode === EXEC_MODE

export class SessionRecords {
  readonly #parts: Parts
  readonly #open = new Map<string, Open>()
  /** Writes in progress by session: the end is written after the start, and nobody who types waits for either. */
  readonly #writing = new Map<string, Promise<void>>()
  /** How those ended whose end is being written: whoever comes back asks at once. */
  readonly #unwritten = new Map<string, Pick<PastSession, 'endReason' | 'exitCode'>>()
  /** When a network comes back, so do many at once. */
  readonly #returns = new Batches<AuditEntry>((entries) => this.#parts.audit.recordNow(...entries), isDatabaseGone)
  readonly #stopping = new AbortController()
  #left: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Before anything is executed. Throws `AUDIT_REFUSED`, and `NOT_FOUND` when the agent or the user is gone meanwhile. */
  async begin({ sessionId, caller, row, relation, mode, personal }: GrantedClaim, facts: Facts = {}): Promise<void> {
    const actor = actorOf(caller)
    const event = agentEvent(row, { sessionId, mode, relation, ...facts })
    const action = isExec(mode) ? 'exec.started' : 'terminal.started'
    // Before its row is there: nobody is to take it for one that was left.
    const beganAt = performance.now()
    this.#open.set(sessionId, { mode, actor, agent: row, lasted: () => performance.now() - beganAt })
    try {
      const via = proofOf(caller.via)
      const session = { id: sessionId, agentId: row.id, userId: caller.userId, mode, personal, via }
      if (!(await this.#parts.repository.begin(session, { actor, action, ...event }))) throw notFound()
    } catch (error) {
      this.#open.delete(sessionId)
      throw error
    }
  }

  /** Before its user is attached again, with the rights that they come with now. Throws as {@link begin} does. */
  attached(
    { sessionId, mode, row }: GrantedClaim,
    { caller, relation }: Pick<GrantedClaim, 'caller' | 'relation'>,
  ): Promise<void> {
    const event = agentEvent(row, { sessionId, mode, relation })
    return this.#returns.add({ actor: actorOf(caller), action: 'terminal.attached', ...event })
  }

  /** Before another person types. Throws as {@link begin} does. */
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
    // Who types can leave a start-up file behind.
    if ('to' in move && move.to !== row.ownerEmail) await this.#parts.repository.lend(row.id, entry)
    else await this.#parts.audit.recordNow(entry)
  }

  /** Which of these sessions a user has begun up to a moment; none of an admin's. */
  ofUser(ids: readonly string[], userId: string, until: Date): Promise<Set<string>> {
    return this.#parts.repository.ofUser(ids, userId, until)
  }

  /** What is recorded of one of a user's sessions with an agent. */
  async find(id: string, of: { agentId: string; userId: string }): Promise<PastSession | null> {
    if (!isUuid(id)) return null
    const unwritten = this.#unwritten.get(id)
    const found = await this.#parts.repository.find(id, of)
    return found && { ...found, ...(unwritten && { endReason: unwritten.endReason, exitCode: unwritten.exitCode }) }
  }

  /** Its first process is known. */
  running(sessionId: string, leader: string): void {
    this.#note(sessionId, () => this.#parts.repository.setLeader(sessionId, leader))
  }

  /** Its user has it back with another proof, which it stands by from now on. */
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
   * Nobody can refuse an end: what the database does not take is tried again for a while. After that the session stays open
   * in the database, and is ended there at the next start.
   */
  ended(sessionId: string, end: SessionEnd): void {
    const open = this.#open.get(sessionId)
    if (!open) return
    this.#open.delete(sessionId)
    const { mode, actor, agent } = open
    const seconds = Math.round(open.lasted() / 100) / 10
    const exitCode = end.exitCode ?? null
    const action = isExec(mode) ? 'exec.ended' : 'terminal.ended'
    const entry = {
      actor,
      action,
      ...agentEvent(agent, { sessionId, mode, reason: end.reason, exitCode, seconds }),
    } as const
    const data = { endedAt: new Date(), endReason: end.reason, exitCode }
    this.#unwritten.set(sessionId, data)
    this.#write(sessionId, () =>
      this.#writeEnd(sessionId, data, entry).finally(() => this.#unwritten.delete(sessionId)),
    )
  }

  /** It goes on without this backend, or is out of its reach: it is among those that were left, and its {@link onLeft} is told. */
  letGo(sessionId: string): void {
    this.#open.delete(sessionId)
    this.#left()
  }

  /** Sets the one listener that is told of a session that was let go. */
  onLeft(listener: () => void): void {
    this.#left = listener
  }

  /** Resolves when everything so far is written, or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  /** From now on what cannot be written is tried once more, and not again. Resolves like {@link settled}. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.settled()
  }

  /** Which of these have not ended. */
  going(sessionIds: readonly string[]): Promise<Set<string>> {
    return this.#parts.repository.going(sessionIds)
  }

  origins(agentId: string, sessionIds: readonly string[]): Promise<Map<string, Origin>> {
    return this.#parts.repository.origins(agentId, sessionIds)
  }

  /** What an earlier backend did not come to end; from now on it can be {@link ended} here. */
  async leftOpen(): Promise<LeftSession[]> {
    const left = await this.#parts.repository.open([...this.#open.keys(), ...this.#writing.keys()])
    return left.map(({ session, email, agent }) => {
      const { id, mode, userId, startedAt } = session
      const actor: Actor = { ...PLATFORM, userId, email }
      // Began under another backend, of which only the wall clock is left; it may have been put back since then.
      const lasted = (): number => Math.max(0, Date.now() - startedAt.getTime())
      this.#open.set(id, { mode, actor, agent, lasted })
      return session
    })
  }

  async #writeEnd(sessionId: string, end: StoredEnd, entry: AuditEntry): Promise<void> {
    const { repository, log, retryMs = RETRY_MS } = this.#parts
    for (let tries = 0; ; tries += 1)
      try {
        return await repository.end(sessionId, end, entry)
      } catch (error) {
        const wait = retryMs[tries]
        const isLast = wait === undefined || (this.#stopping.signal.aborted && tries > 0)
        log.error({ sessionId, err: error, again: !isLast }, 'the end of a session could not be recorded')
        if (isLast) return
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
