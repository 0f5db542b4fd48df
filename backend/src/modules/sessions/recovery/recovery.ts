/** Looks for sessions that earlier backends left, and lets callers wait for the result. */
import type { Log } from '../../../lib/log.ts'
import type { Board } from '../../agents/state/board.ts'
import type { SessionRecords } from '../records/records.ts'
import { OPEN_AT_ONCE, type LeftSession } from '../records/repository.ts'

/** Time between two looks while an engine or a database is away, in milliseconds. */
export const LOOK_EVERY_MS = 2000
/** Most looks that a reconnecting user waits for. A look in progress may have begun before their session was left. */
const LOOKS_MAX = 2

/** Why a session has ended if its container no longer holds it. */
export type Gone = 'server_killed' | 'container_stopped'

/** Takes a session over or ends it. Answers false if the engine or the database does not answer. Never rejects. */
export type Decide = (session: LeftSession, gone: Gone) => Promise<boolean>

interface Parts {
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'leftOpen' | 'settled' | 'onLeft'>
  readonly log: Log
  readonly lookEveryMs?: number
}

interface Deciding {
  readonly session: LeftSession
  readonly done: Promise<void>
}

/**
 * Decides about all sessions side by side. If the engine or the database does not answer, the session waits in the
 * background until it does.
 */
export class Recovery {
  readonly #parts: Parts
  readonly #lookEveryMs: number
  #isListed = false
  #waiting: LeftSession[] = []
  readonly #deciding = new Set<Deciding>()
  /** Settles after the first look, even a failed one, or on {@link stop}. */
  readonly #listed = Promise.withResolvers<null>()
  /** The look in progress. */
  #looking: Promise<void> | null = null
  /** Called for each look. The sessions of one look share what their decisions find out. */
  #decider: () => Decide = () => () => Promise.resolve(false)
  /** The deciders for the sessions of single modes. */
  readonly #deciders = new Map<string, () => Decide>()
  /** The reason for sessions that their container no longer holds. */
  #gone: Gone = 'server_killed'
  #timer: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
    this.#lookEveryMs = parts.lookEveryMs ?? LOOK_EVERY_MS
  }

  /**
   * Sets the decider for the sessions of a mode. Call it before {@link start}, which takes the decider for all other
   * modes.
   */
  handle(mode: string, decider: () => Decide): void {
    this.#deciders.set(mode, decider)
  }

  /** Resolves after the first look, even a failed one, or on {@link stop}. */
  get listed(): Promise<unknown> {
    return this.#listed.promise
  }

  /** Resolves when the first look is complete and its ends are written. Looks go on until {@link stop}. */
  async start(decider: () => Decide): Promise<void> {
    this.#decider = decider
    const first = this.#lookNow()
    this.#timer = setInterval(() => {
      if (!this.#isListed || this.#waiting.length > 0) void this.#lookNow()
    }, this.#lookEveryMs)
    this.#timer.unref()
    // An engine that went away may return with its containers running.
    this.#parts.records.onLeft(() => {
      this.#gone = 'container_stopped'
      this.#isListed = false
    })
    await first
    await Promise.all([...this.#deciding].map(({ done }) => done))
    await this.#parts.records.settled()
  }

  /**
   * Resolves with true once each session that the user may have left with the agent is recovered or ended. Resolves
   * with false if the engine or the database does not answer. It does not wait for other users' sessions, unless
   * `userId` is null, which means all users.
   */
  async decided(userId: string | null, agentId: string): Promise<boolean> {
    const isTheirs = (session: LeftSession): boolean =>
      (userId === null || session.userId === userId) && session.agentId === agentId
    const isOpen = (): boolean => !this.#isListed || this.#waiting.some(isTheirs)
    await this.#listed.promise
    // A user must not wait for the next regular look: meanwhile another program could take the session's place.
    for (let looks = 0; looks < LOOKS_MAX && this.#timer && (this.#looking || isOpen()); looks += 1)
      await this.#lookNow()
    const theirs = [...this.#deciding].filter(({ session }) => isTheirs(session))
    await Promise.all(theirs.map(({ done }) => done))
    return !isOpen()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    this.#listed.resolve(null)
  }

  /** Runs one look at a time. */
  #lookNow(): Promise<void> {
    this.#looking ??= this.#tryToLook().finally(() => (this.#looking = null))
    return this.#looking
  }

  async #tryToLook(): Promise<void> {
    try {
      await this.#look()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'sessions of an earlier backend could not be looked for')
    } finally {
      this.#listed.resolve(null)
    }
  }

  async #look(): Promise<void> {
    if (!this.#isListed) await this.#list()
    const isKnown = ({ agentId }: LeftSession): boolean =>
      this.#parts.board.get(agentId).reason?.code !== 'engine_unavailable'
    const known = this.#waiting.filter(isKnown)
    this.#waiting = this.#waiting.filter((session) => !isKnown(session))
    const gone = this.#gone
    const others = this.#decider()
    const byMode = new Map([...this.#deciders].map(([mode, decider]) => [mode, decider()]))
    for (const session of known) this.#decide(session, () => (byMode.get(session.mode) ?? others)(session, gone))
  }

  /** The look does not wait for a slow decision; only a caller of {@link decided} does. */
  #decide(session: LeftSession, decide: () => Promise<boolean>): void {
    const deciding = {
      session,
      done: decide().then((isDecided) => {
        this.#deciding.delete(deciding)
        if (!isDecided) this.#waiting.push(session)
      }),
    }
    this.#deciding.add(deciding)
  }

  /** Lists the sessions that were left. This backend's own sessions are never among them, even in a late look. */
  async #list(): Promise<void> {
    this.#isListed = true
    try {
      for (;;) {
        const left = await this.#parts.records.leftOpen()
        this.#waiting.push(...left)
        if (left.length < OPEN_AT_ONCE) break
      }
    } catch (error) {
      this.#isListed = false
      throw error
    }
    const sessions = this.#waiting.length
    if (sessions > 0) this.#parts.log.warn({ sessions }, 'looking for sessions that were left')
  }
}
