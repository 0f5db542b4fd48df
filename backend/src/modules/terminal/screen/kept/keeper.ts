/**
 * Keeps the screens of sessions that outlive the server, so that the next one has them also where the container does not have all of their
 * output any more. Nothing here is a condition of a session: what fails is logged, and the session goes on.
 */
import type { Log } from '../../../../lib/log.ts'
import { within } from '../../../../lib/within.ts'
import type { OpenTerminal } from '../../session/open-terminal.ts'
import type { Kept, Mirror } from '../mirror/mirror.ts'
import type { Snapshot } from '../snapshot.ts'
import { ALL_BYTES, SESSION_BYTES } from '../journal/journal.ts'
import type { Session } from '../../session/session.ts'
import type { ScreenFiles } from './files.ts'
import { Followed, MUCH_BYTES } from './followed.ts'
import { printScreen, printSizes } from './kept.ts'
import { loadScreen } from './load.ts'

/** Between two looks at what is due, in milliseconds. */
const LOOK_MS = 250
/** How long changes of a size are gathered, in milliseconds: who pulls at a window makes dozens a second. */
const SIZES_MS = 100
/** Most that is printed of all sessions together, in bytes a second: a tenth of what the mirrors' thread can print. */
const BYTES_PER_SECOND = 1_048_576
/** How long is waited for what was kept of a session while nothing is done, in milliseconds: a disk that hangs is not waited for. */
const LOAD_MS = 5000
/** So much of all sessions together is kept in screens before the disk takes no more of it, in bytes. */
const ALL_MUCH_BYTES = ALL_BYTES / 2
/** And then not less of one, in bytes. */
const LEAST_MUCH_BYTES = 16_777_216
/** After what could not be written nothing is tried for so long, in milliseconds. */
const PAUSE_MS = 10_000

interface Parts {
  readonly files: ScreenFiles
  /** Which of the sessions go on, as far as is known. */
  readonly going: (ids: readonly string[]) => Promise<ReadonlySet<string>>
  readonly log: Log
  /** After so much of one session it is kept whatever comes; {@link MUCH_BYTES} if not told otherwise. */
  readonly muchBytes?: number
}

export class ScreenKeeper {
  readonly #parts: Parts
  readonly #followed = new Set<Followed>()
  /** One thing after the other: what is written of a session is there before it is read or removed. */
  #work: Promise<void> = Promise.resolve()
  /** Sizes wait for no print. */
  #sizing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #isKeeping = false
  /** Nothing is printed earlier, but what presses; and nothing at all. */
  #notBefore = 0
  #pausedUntil = 0
  #isFailing = false
  /** Things done, one after the other. */
  #done = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Call it before the mirror observes the session: the last screen is asked for when that ends. */
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
    // Before the first screen is kept, the next server begins with an empty one of this size.
    if (!kept) resized()
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** What is kept of a session that was taken over. */
  async load(id: string, attached: Omit<OpenTerminal, 'pty'>): Promise<Kept | null> {
    const is = { kept: null as Kept | null, loaded: false }
    const loaded = this.#do(async () => void (is.kept = await loadScreen(this.#parts, id, attached)))
    void loaded.then(() => (is.loaded = true))
    // Those of others may be before it: as long as the disk goes on with them it is waited for.
    for (let before = -1; !is.loaded && before !== this.#done;) {
      before = this.#done
      await within(LOAD_MS, loaded, () => undefined)
    }
    if (!is.loaded) this.#parts.log.warn({ sessionId: id }, 'a kept screen could not be read in time')
    return is.kept
  }

  /** It is over, wherever it was. */
  forget(id: string): void {
    void this.#do(() => this.#parts.files.remove(id))
  }

  /** Removes what sessions have left that are over. Never fails: the next one tries again. */
  sweep(): Promise<void> {
    const { files, going, log } = this.#parts
    const sweep = async (): Promise<void> => {
      const ids = await files.ids()
      const left = await going(ids)
      for (const id of ids) if (!left.has(id)) await files.remove(id)
    }
    return this.#do(() => sweep().catch((error: unknown) => log.error({ err: error }, 'screens not swept')))
  }

  /** Settles when everything is on the disk. Call it when the sessions are let go. */
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
      // What others want of the disk does not wait for that.
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

  /** The one with the most on the disk, where that is too much, of it or of all together. */
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
    // Asked for now: in a moment there is no mirror any more.
    const printed = followed.hasNews ? followed.print(performance.now()) : Promise.resolve(null)
    this.#saveSizes(followed)
    void this.#do(async () => {
      await this.#save(followed, printed)
      if (!followed.hasNews) await this.#parts.files.removeOutput(followed.id)
    })
  }

  /** `isCounted`: after it the others wait, so that no more is printed than may be. */
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
    // Once, and not again before something could be written.
    if (!this.#isFailing) this.#parts.log.error({ err: error }, 'screens of terminals cannot be kept')
    this.#isFailing = true
  }

  #stopLooking(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}
