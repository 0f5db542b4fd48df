/** When what earlier backends left is looked for, and who waits for that. */
import type { Log } from '../../lib/log.ts'
import type { Board } from '../agents/state/board.ts'
import type { SessionRecords } from './records.ts'
import { OPEN_AT_ONCE, type LeftSession } from './repository.ts'

/** Between two looks at whether an engine or a database that was away is back, in milliseconds. */
export const LOOK_EVERY_MS = 2000
/** Looks that somebody waits for who comes: the one under way may have begun before what they left was left. */
const LOOKS_MAX = 2

/** Why a session whose container does not hold it any more has ended. */
export type Gone = 'server_killed' | 'container_stopped'

/** Takes a session over, or ends it. False where what has to be asked does not answer. Never fails. */
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
 * All side by side. What cannot be decided because the engine or the database does not answer waits until it does, in the background.
 */
export class Recovery {
  readonly #parts: Parts
  readonly #lookEveryMs: number
  #isListed = false
  #waiting: LeftSession[] = []
  readonly #deciding = new Set<Deciding>()
  /** Settles when it is known for the first time what there is. */
  readonly #listed = Promise.withResolvers<null>()
  /** The look that is under way. */
  #looking: Promise<void> | null = null
  /** Called for each look; what one of its answers finds out serves the others of that look. */
  #decider: () => Decide = () => () => Promise.resolve(false)
  /** The same for the sessions of a mode. */
  readonly #deciders = new Map<string, () => Decide>()
  /** Why one that is not there any more has ended. */
  #gone: Gone = 'server_killed'
  #timer: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
    this.#lookEveryMs = parts.lookEveryMs ?? LOOK_EVERY_MS
  }

  /** What is done with the sessions of a mode. Call it before {@link start}, which is given what is done with all others. */
  handle(mode: string, decider: () => Decide): void {
    this.#deciders.set(mode, decider)
  }

  /** Resolves when everything has been looked at once, and what has ended is written. Goes on until {@link stop}. */
  async start(decider: () => Decide): Promise<void> {
    this.#decider = decider
    const first = this.#lookNow()
    this.#timer = setInterval(() => {
      if (!this.#isListed || this.#waiting.length > 0) void this.#lookNow()
    }, this.#lookEveryMs)
    this.#timer.unref()
    // An engine that went away may come back with its containers running.
    this.#parts.records.onLeft(() => {
      this.#gone = 'container_stopped'
      this.#isListed = false
    })
    await first
    await Promise.all([...this.#deciding].map(({ done }) => done))
    await this.#parts.records.settled()
  }

  /**
   * Resolves when what a user may have left with an agent is in its place, or is not there, with true; false: what has to be asked
   * does not answer. Others' are not waited for, unless `userId` is null: that is everybody.
   */
  async decided(userId: string | null, agentId: string): Promise<boolean> {
    const isTheirs = (session: LeftSession): boolean =>
      (userId === null || session.userId === userId) && session.agentId === agentId
    const isOpen = (): boolean => !this.#isListed || this.#waiting.some(isTheirs)
    await this.#listed.promise
    // Nobody who is there waits for the next look: meanwhile another program would have its place.
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

  /** One at a time. */
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

  /** Nobody waits for one that takes long, but whoever asks for it. */
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

  /** Of this backend's own there are none among them, however late it is. */
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
