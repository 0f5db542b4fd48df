/** Keeps the transcripts of runs that have ended: compresses them, and removes those that are too old or too large. */
import { rm } from 'node:fs/promises'
import { type Clock, HOUR_MS, MINUTE_MS } from '../../../lib/time/clock.ts'
import { expiryOf, type Keeping } from '../../../lib/time/keeping.ts'
import type { Log } from '../../../lib/log.ts'
import type { Held, RunRepository, StoredEnding } from '../repository.ts'
import { packSegment, type SegmentFile, segmentsIn } from './segment.ts'

/**
 * How long after its end a run may still be written to by another backend, in milliseconds: longer than a CLI is ended
 * and the disk is waited for.
 */
const WRITTEN_MS = 10 * MINUTE_MS
/** Age from which a file that is being made was left by a killed server, in milliseconds. */
const LEFT_MS = HOUR_MS

export interface KeeperDeps {
  readonly folder: string
  readonly repository: Pick<RunRepository, 'endings'>
  readonly keeping: Keeping
  /** Whether this backend may still write to the transcript of the run. */
  readonly isHeld: (id: string) => boolean
  /** Called with the size of all transcripts, in bytes. */
  readonly measured: (bytes: number) => void
  readonly clock: Clock
  readonly log: Log
}

/** A stored transcript. */
interface Stored {
  readonly id: string
  readonly files: readonly SegmentFile[]
  readonly endedAt: Date
}

const sizeOf = (files: readonly SegmentFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

export class TranscriptKeeper {
  readonly #deps: KeeperDeps
  /** Settles when the work that was asked for is done. One file is compressed at a time. */
  #work: Promise<void> = Promise.resolve()

  constructor(deps: KeeperDeps) {
    this.#deps = deps
  }

  /** Compresses the transcript of a run that this backend does not hold any more, if the run has ended. Never rejects. */
  pack({ id, generation }: Held): Promise<void> {
    return this.#next(async () => {
      const { repository, folder } = this.#deps
      const ending = (await repository.endings([id])).get(id)
      // Another backend may hold the run.
      if (ending?.generation !== generation || ending.endedAt === null) return
      await this.#pack(id, (await segmentsIn(folder)).get(id) ?? [])
    }).catch((error: unknown) => this.#failed(id, error))
  }

  /** Looks at all transcripts. Rejects if the folder or the database cannot be read. */
  sweep(): Promise<void> {
    return this.#next(async () => {
      const { folder, repository } = this.#deps
      const found = await segmentsIn(folder)
      const endings = await repository.endings([...found.keys()])
      const ended: Stored[] = []
      for (const [id, files] of found) {
        await this.#removeUnfinished(files)
        const ending = endings.get(id)
        // The deletion of a user removes the rows of their runs. A new run has its row before its transcript.
        if (!ending) await this.#remove(id, files)
        else if (ending.endedAt !== null && !this.#deps.isHeld(id)) ended.push({ id, files, endedAt: ending.endedAt })
      }
      const kept = await this.#withoutExpired(ended)
      await this.#packOlder(kept)
      await this.#fit(await segmentsIn(folder), endings)
    })
  }

  /** Resolves when nothing is being compressed or removed. */
  async settled(): Promise<void> {
    await this.#work
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #removeUnfinished(files: readonly SegmentFile[]): Promise<void> {
    const before = this.#deps.clock.now() - LEFT_MS
    for (const { form, path, writtenAt } of files)
      if (form === 'unfinished' && writtenAt < before) await rm(path, { force: true })
  }

  async #withoutExpired(ended: readonly Stored[]): Promise<Stored[]> {
    const { keeping, clock, log } = this.#deps
    const kept: Stored[] = []
    for (const one of ended) {
      const expiry = expiryOf(one, keeping)
      if (expiry === null || expiry.getTime() > clock.now()) kept.push(one)
      else {
        await this.#remove(one.id, one.files)
        log.info({ sessionId: one.id, because: 'too_old' }, 'a transcript was removed')
      }
    }
    return kept
  }

  /** Those that a killed server left uncompressed. */
  async #packOlder(ended: readonly Stored[]): Promise<void> {
    const before = this.#deps.clock.now() - WRITTEN_MS
    for (const { id, files, endedAt } of ended)
      if (endedAt.getTime() < before) await this.#pack(id, files).catch((error: unknown) => this.#failed(id, error))
  }

  /** Removes the oldest until the others have room. A transcript that may be written to is never removed. */
  async #fit(found: ReadonlyMap<string, SegmentFile[]>, endings: ReadonlyMap<string, StoredEnding>): Promise<void> {
    const { keeping, isHeld, measured, log } = this.#deps
    const ended = [...found]
      .flatMap(([id, files]) => {
        const endedAt = endings.get(id)?.endedAt
        return endedAt && !isHeld(id) ? [{ id, files, endedAt }] : []
      })
      .toSorted((one, other) => one.endedAt.getTime() - other.endedAt.getTime())
    let total = sizeOf([...found.values()].flat())
    for (const { id, files } of ended) {
      if (total <= keeping.totalBytes) break
      await this.#remove(id, files)
      total -= sizeOf(files)
      log.info({ sessionId: id, because: 'too_much' }, 'a transcript was removed')
    }
    measured(total)
  }

  async #pack(id: string, files: readonly SegmentFile[]): Promise<void> {
    for (const { form, generation } of files) if (form === 'plain') await packSegment(this.#deps.folder, id, generation)
  }

  async #remove(id: string, files: readonly SegmentFile[]): Promise<void> {
    if (this.#deps.isHeld(id)) return
    for (const { path } of files) await rm(path, { force: true })
  }

  #failed(id: string, error: unknown): void {
    this.#deps.log.error({ sessionId: id, err: error }, 'a transcript could not be compressed')
  }
}
