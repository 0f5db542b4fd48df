/** Deletes recordings that are too old or take too much room. Also tidies up after a killed server. */
import { type Clock, DAY_MS, HOUR_MS } from '../../../lib/time/clock.ts'
import type { Keeping } from '../../../lib/time/keeping.ts'
import type { Log } from '../../../lib/log.ts'
import { Sweeper } from '../../../lib/time/sweeper.ts'
import type { AgentRepository } from '../../agents/repository.ts'
import { PLATFORM } from '../../audit/actor.ts'
import type { Recorder } from './recorder.ts'
import type { RecordingFiles } from './files.ts'
import { CUT_MARK } from './marks.ts'
import type { RecordingRepository, RecordingRow } from './repository.ts'

/** Time between two sweeps, in milliseconds. */
const SWEEP_EVERY_MS = HOUR_MS

interface Parts {
  readonly repository: RecordingRepository
  readonly files: RecordingFiles
  readonly recorder: Pick<Recorder, 'ids' | 'closeLeft'>
  readonly agents: Pick<AgentRepository, 'byId'>
  readonly keeping: Keeping
  readonly clock: Clock
  readonly log: Log
}

export class Retention {
  readonly #parts: Parts
  readonly #sweeper: Sweeper

  constructor(parts: Parts) {
    this.#parts = parts
    this.#sweeper = new Sweeper({
      steps: [() => this.#closeLeft(), () => this.#tooOld(), () => this.#tooMuch(), () => this.#strays()],
      everyMs: SWEEP_EVERY_MS,
      onFailure: (error) => parts.log.error({ err: error }, 'recordings not swept'),
    })
  }

  /** Sweeps now, and then every {@link SWEEP_EVERY_MS}. */
  start(): void {
    this.#sweeper.start()
  }

  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  /** As `Sweeper.sweep`. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep()
  }

  async #closeLeft(): Promise<void> {
    const { repository, recorder, log, clock } = this.#parts
    for (const row of await repository.left(recorder.ids)) {
      const extent = await recorder.closeLeft(row.id, CUT_MARK)
      log.warn({ sessionId: row.id }, 'a recording was cut')
      await repository.ended(row.id, 'cut', extent, new Date(clock.now()))
    }
  }

  async #tooOld(): Promise<void> {
    const { repository, keeping, clock } = this.#parts
    if (keeping.days === null) return
    const moment = new Date(clock.now() - keeping.days * DAY_MS)
    for (let rows = await repository.endedBefore(moment); rows.length > 0; rows = await repository.endedBefore(moment))
      for (const row of rows) await this.#delete(row, 'too_old')
  }

  async #tooMuch(): Promise<void> {
    const { repository, keeping } = this.#parts
    let total = await repository.totalBytes()
    while (total > keeping.totalBytes) {
      const rows = await repository.oldest()
      if (rows.length === 0) return
      for (const row of rows) {
        if (total <= keeping.totalBytes) return
        await this.#delete(row, 'too_much')
        total -= row.bytes
      }
    }
  }

  /** Removes files without a row, as of a deleted agent, and rows without a file. */
  async #strays(): Promise<void> {
    const { repository, files, recorder, log } = this.#parts
    const ids = await files.ids()
    const known = await repository.known(ids)
    // A new recording has its row before its file.
    for (const id of ids) if (!known.has(id) && !recorder.ids.includes(id)) await files.remove(id)
    const there = new Set(ids)
    for await (const row of repository.all()) {
      // The recording may have begun, and ended, since the files were listed.
      if (there.has(row.id) || (await files.has(row.id))) continue
      log.warn({ sessionId: row.id }, 'the file of a recording is gone')
      await repository.forget(row.id)
    }
  }

  async #delete(row: RecordingRow, because: string): Promise<void> {
    const { repository, files, agents } = this.#parts
    const agent = await agents.byId(row.agentId)
    if (agent) await repository.delete(row, agent, PLATFORM, because)
    await files.remove(row.id)
  }
}
