/**
 * Keeps the screens of sessions that outlive the server, so that the next server has them even if the container has
 * dropped some of their output. No session depends on this: a failure is logged, and the session goes on.
 */
import type { Log } from '../../../../lib/log.ts'
import { within } from '../../../../lib/time/within.ts'
import type { OpenTerminal } from '../../session/open-terminal.ts'
import type { Kept, Mirror } from '../mirror/mirror.ts'
import type { Snapshot } from '../snapshot.ts'
import { ALL_BYTES, SESSION_BYTES } from '../journal/journal.ts'
import type { Session } from '../../session/session.ts'
import type { ScreenFiles } from './files.ts'
import { Followed, MUCH_BYTES } from './followed.ts'
import { printScreen, printSizes } from './kept.ts'
import { loadScreen } from './load.ts'

/** Time between two looks at which screens are due, in milliseconds. */
const LOOK_MS = 250
/**
 * How long changes of size are gathered, in milliseconds: a user who drags a window's border causes dozens per second.
 */
const SIZES_MS = 100
/** Limit for prints of all sessions together, in bytes per second: a tenth of what the mirrors' thread can print. */
const BYTES_PER_SECOND = 1_048_576
/**
 * How long the disk may make no progress while a kept screen is loaded, in milliseconds. A disk that hangs must not
 * block a recovery.
 */
const LOAD_MS = 5000
/**
 * If the journals of all sessions exceed this, in bytes, {@link LEAST_MUCH_BYTES} applies. It is below the limit at
 * which the disk takes no more.
 */
const ALL_MUCH_BYTES = ALL_BYTES / 2
/** Then a journal of this size is replaced by a print, in bytes. */
const LEAST_MUCH_BYTES = 16_777_216
/** After a failed write, nothing is tried for this time, in milliseconds. */
const PAUSE_MS = 10_000

interface Parts {
  readonly files: ScreenFiles
  /** Resolves to those of the sessions that have not ended, as far as is known. */
  readonly going: (ids: readonly string[]) => Promise<ReadonlySet<string>>
  readonly log: Log
  /** A journal of this size is replaced by a print, in bytes; default {@link MUCH_BYTES}. */
  readonly muchBytes?: number
}

export class ScreenKeeper {
  readonly #parts: Parts
  readonly #followed = new Set<Followed>()
  /** Work is done in sequence, so that a file is written before it is read or removed. */
  #work: Promise<void> = Promise.resolve()
  /** Writes of sizes have a queue of their own, and do not wait for prints. */
  #sizing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #isKeeping = false
  /** Before the first time, only pressing screens are printed. Before the second, none are. */
  #notBefore = 0
  #pausedUntil = 0
  #isFailing = false
  /** Number of completed pieces of work. */
  #done = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Call it before the mirror observes the session, because at the session's end it asks the mirror for the last
   * screen.
   */
  follow(session: Session, mirror: Mirror, { kept, to }: { kept: Kept | null; to: number }): void {
    if (!session.survives) return
    let gathering: NodeJS.Timeout | null = null
    let isBehind = false
    const resized = (): void => {
      isBehind = gathering !== null
      if (gathering) return
      this.#saveSizes(followed)
      gathering = setTimeout(() => {
        gathering = null
        if (isBehind) resized()
      }, SIZES_MS)
    }
    const followed: Followed = new Followed({
      session,
      mirror,
      kept,
      to,
      now: performance.now(),
      resized,
      ended: (goesOn) => {
        if (gathering) clearTimeout(gathering)
        this.#left(followed, goesOn)
      },
    })
    this.#followed.add(followed)
    session.observe(followed)
    // Until the first screen is kept, the next server begins with an empty one of this size.
    if (!kept) resized()
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** Loads what was kept of a session that was taken over. */
  async load(id: string, attached: Omit<OpenTerminal, 'pty'>): Promise<Kept | null> {
    const is = { kept: null as Kept | null, loaded: false }
    const loaded = this.#do(async () => void (is.kept = await loadScreen(this.#parts, id, attached)))
    void loaded.then(() => (is.loaded = true))
    // Work of other sessions may come first. Wait as long as the disk makes progress.
    for (let before = -1; !is.loaded && before !== this.#done;) {
      before = this.#done
      await within(LOAD_MS, loaded, () => undefined)
    }
    if (!is.loaded) this.#parts.log.warn({ sessionId: id }, 'a kept screen could not be read in time')
    return is.kept
  }

  /** Removes everything that is kept of a session, after its end. */
  forget(id: string): void {
    void this.#do(() => this.#parts.files.remove(id))
  }

  /** Removes what ended sessions have left. Never rejects: the next sweep tries again. */
  sweep(): Promise<void> {
    const { files, going, log } = this.#parts
    const sweep = async (): Promise<void> => {
      const ids = await files.ids()
      const left = await going(ids)
      for (const id of ids) if (!left.has(id)) await files.remove(id)
    }
    return this.#do(() => sweep().catch((error: unknown) => log.error({ err: error }, 'screens not swept')))
  }

  /** Resolves when everything is on the disk. Call it when the sessions have been released. */
  async close(): Promise<void> {
    this.#stopLooking()
    await this.#sizing
    await this.#work
  }

  #look(): void {
    const now = performance.now()
    for (const followed of this.#followed) followed.look(now)
    if (!this.#isKeeping) void this.#keepDue().finally(() => (this.#isKeeping = false))
  }

  async #keepDue(): Promise<void> {
    this.#isKeeping = true
    for (;;) {
      const now = performance.now()
      const next = this.#longestDue(now)
      if (!next) return
      const isPressing = next === this.#pressing(now)
      const printed = next.print(now)
      // Other work on the disk does not wait for a print.
      await printed.catch(() => undefined)
      await this.#do(() => this.#save(next, printed, !isPressing))
    }
  }

  #longestDue(now: number): Followed | null {
    let [longest, earliest]: [Followed | null, number] = [null, Infinity]
    if (now < this.#pausedUntil) return null
    const pressing = this.#pressing(now)
    if (pressing || now < this.#notBefore) return pressing
    for (const followed of this.#followed) {
      const since = followed.dueSince(now)
      if (since !== null && since < earliest) [longest, earliest] = [followed, since]
    }
    return longest
  }

  /** The session with the largest journal, if that journal, or all together, are too large. */
  #pressing(now: number): Followed | null {
    const { muchBytes = MUCH_BYTES } = this.#parts
    let [most, largest, all]: [Followed | null, number, number] = [null, 0, 0]
    for (const followed of this.#followed) {
      const { unkept } = followed
      all += Math.min(unkept, SESSION_BYTES)
      if (unkept > largest && followed.mayPress(now)) [most, largest] = [followed, unkept]
    }
    return largest >= (all >= ALL_MUCH_BYTES ? Math.min(muchBytes, LEAST_MUCH_BYTES) : muchBytes) ? most : null
  }

  #left(followed: Followed, goesOn: boolean): void {
    this.#followed.delete(followed)
    if (this.#followed.size === 0) this.#stopLooking()
    if (!goesOn) return this.forget(followed.id)
    // Ask now: in a moment the mirror is gone.
    const printed = followed.hasNews ? followed.print(performance.now()) : Promise.resolve(null)
    this.#saveSizes(followed)
    void this.#do(async () => {
      await this.#save(followed, printed)
      if (!followed.hasNews) await this.#parts.files.removeOutput(followed.id)
    })
  }

  /** `isCounted`: this print counts against {@link BYTES_PER_SECOND}, so others wait after it. */
  async #save(followed: Followed, printed: Promise<Snapshot | null>, isCounted = true): Promise<void> {
    const screen = await printed
    if (!screen || followed.isOver || followed.isBehind(screen)) return
    if (isCounted) this.#notBefore = performance.now() + (screen.data.length / BYTES_PER_SECOND) * 1000
    const part = screen.base === undefined ? 'screen' : 'since'
    await this.#parts.files.write(followed.id, part, await printScreen(screen))
    if (followed.wasKept(screen)) await this.#parts.files.removeOutput(followed.id, screen.offset)
    this.#isFailing = false
  }

  #saveSizes(followed: Followed): void {
    const { id, sizes } = followed
    const save = async (): Promise<void> => {
      if (!followed.isOver) await this.#parts.files.write(id, 'sizes', printSizes(sizes.all))
    }
    this.#sizing = this.#sizing.then(save).catch((error: unknown) => this.#failed(error))
  }

  #do(work: () => Promise<void>): Promise<void> {
    const inTurn = async (): Promise<void> => {
      await this.#sizing
      await work()
    }
    const done = this.#work.then(inTurn).catch((error: unknown) => this.#failed(error))
    this.#work = done.then(() => void (this.#done += 1))
    return done
  }

  #failed(error: unknown): void {
    this.#pausedUntil = performance.now() + PAUSE_MS
    // Logged once, until a write succeeds again.
    if (!this.#isFailing) this.#parts.log.error({ err: error }, 'screens of terminals cannot be kept')
    this.#isFailing = true
  }

  #stopLooking(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}
