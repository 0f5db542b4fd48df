/** Begins, continues and ends the recordings of sessions, and keeps their rows. */
import type { RecordedParts, RecordingState } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { AgentLog } from '../../agents/logs/agent-log.ts'
import type { Provisioner } from '../../credentials/provision/provision.ts'
import { mayShow, type SetSecret } from '../../credentials/service.ts'
import { labelOf } from '../../providers/catalogue.ts'
import type { Slot } from '../registry.ts'
import type { Session } from '../session/session.ts'
import type { CastLimits } from './cast/cast-file.ts'
import type { Extent, OpenCast } from './cast/messages.ts'
import { CastWriter } from './cast/writer.ts'
import type { RecordingFiles } from './files.ts'
import { RESUMED_MARK, startMark, SWITCHED_OFF_MARK } from './marks.ts'
import type { RecordingRepository } from './repository.ts'
import { type RecordingEnd, RunningRecording } from './running.ts'

interface Parts {
  readonly repository: RecordingRepository
  readonly files: RecordingFiles
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
  readonly limits: CastLimits
  readonly clock: Clock
  readonly log: Log
  readonly agentLog: Pick<AgentLog, 'record'>
  /** The set of recorded parts has changed for a session of this agent. */
  readonly changed: (agentId: string) => void
  /** A recording has ended, and its row says so. */
  readonly ended: () => void
}

/** Why a recording ended before its session, for the agent's log. */
const LOST: Record<Exclude<RecordingEnd, 'complete' | null>, string> = {
  disk_full: 'because the disk was full',
  too_large: 'because it reached the maximum size',
  failed: 'because it could not be written',
}

/** A recording that is ready to follow its session. */
export type Prepared = (session: Session) => void

interface Active {
  readonly running: RunningRecording
  readonly slot: Slot
  readonly session: Session
  /** Resolves when its row says how it ended, or another server will continue it. */
  readonly over: Promise<null>
}

export class Recorder {
  readonly #parts: Parts
  readonly #writer = new CastWriter()
  readonly #active = new Map<string, Active>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** For a session whose program is about to start. Null: it is not recorded. Never rejects: the session goes on. */
  async begin(slot: Slot): Promise<Prepared | null> {
    const { row, caller, sessionId, mode } = slot
    if (!row.record) return null
    const { repository, clock } = this.#parts
    const startedAt = new Date(clock.now())
    return this.#orWithout(slot, async () => {
      const secrets = await this.#secretsOf(slot)
      const place = { id: sessionId, agentId: row.id, userId: caller.userId, email: caller.email, mode }
      await repository.create({ ...place, startedAt, input: row.recordInput })
      return (session) => {
        const title = `${labelOf(mode)} of ${row.name}`
        const header = { ...session.size, timestamp: Math.floor(startedAt.getTime() / 1000), title }
        const open = this.#open(sessionId, secrets, { header, offset: session.start })
        this.#follow(slot, session, open, { from: 0, input: row.recordInput, mark: startMark(mode) })
      }
    })
  }

  /**
   * For a session that was taken over from an earlier server. Null if that server did not record it, or recording was
   * switched off.
   */
  async resume(slot: Slot): Promise<Prepared | null> {
    const { repository, clock } = this.#parts
    return this.#orWithout(slot, async () => {
      const row = await repository.byId(slot.sessionId)
      if (row?.state !== 'recording') return null
      if (!slot.row.record) {
        const extent = await this.closeLeft(row.id, SWITCHED_OFF_MARK)
        await repository.ended(row.id, 'complete', extent, new Date(clock.now()))
        return null
      }
      const secrets = await this.#secretsOf(slot)
      return (session) => {
        const from = Math.max(0, clock.now() - row.startedAt.getTime())
        const input = row.input && slot.row.recordInput
        this.#follow(slot, session, this.#open(row.id, secrets, null), { from, input, mark: RESUMED_MARK })
      }
    })
  }

  /** The session did not start after {@link begin}. There is no file yet. */
  async abandon(sessionId: string): Promise<void> {
    const { repository, log } = this.#parts
    await repository
      .forget(sessionId)
      .catch((error: unknown) => log.error({ sessionId, err: error }, 'a recording could not be taken back'))
  }

  /** The sessions that are being recorded. */
  get ids(): string[] {
    return [...this.#active.keys()]
  }

  /** Length of the file of a recording in progress; null: it is not in progress. */
  extentOf(id: string) {
    return this.#active.get(id)?.running.extent ?? null
  }

  /**
   * An agent's settings have changed. If recording was switched off, recordings end now. If it was switched on, it
   * begins with the next session.
   */
  settingsChanged(agentId: string, { record, recordInput }: { record: boolean; recordInput: boolean }): void {
    for (const { running, slot, session } of this.#active.values()) {
      if (slot.row.id !== agentId) continue
      running.input &&= recordInput
      if (!record) running.stop(SWITCHED_OFF_MARK)
      else if (session.recorded !== partsOf(running)) {
        session.recordedAs(partsOf(running))
        this.#parts.changed(agentId)
      }
    }
  }

  /** A credential was set. Sessions that may show it have it masked from now on, besides its earlier values. */
  credentialSet(set: SetSecret): void {
    for (const { running, slot } of this.#active.values())
      if (mayShow(set, slot.caller.userId, slot.row)) running.learn([set.secret])
  }

  /**
   * Resolves when all that the sessions have shown so far is in the files. Call it after they have ended or were
   * released.
   */
  async close(): Promise<void> {
    await Promise.all([...this.#active.values()].map(({ over }) => over))
    await this.#writer.stop()
  }

  /** Ends a file that an earlier server left and no session continues. */
  closeLeft(id: string, mark: string): Promise<Extent> {
    const { promise, resolve } = Promise.withResolvers<Extent>()
    // If the file is gone, the answer is `lost` without a length.
    this.#writer.listen(id, ({ bytes = 0, atMs = 0 }) => resolve({ bytes, atMs }))
    this.#writer.send({ type: 'close_left', id, path: this.#parts.files.pathOf(id), mark })
    return promise
  }

  #secretsOf({ caller, row }: Slot): Promise<string[]> {
    return this.#parts.provisioner.taskSecrets(caller.userId, row)
  }

  #open(id: string, secrets: readonly string[], begin: OpenCast['begin']): Omit<OpenCast, 'type' | 'id'> {
    const { files, limits } = this.#parts
    return { path: files.pathOf(id), secrets, limits, begin }
  }

  #follow(
    slot: Slot,
    session: Session,
    open: Omit<OpenCast, 'type' | 'id'>,
    { from, input, mark }: { from: number; input: boolean; mark: string },
  ): void {
    const { sessionId } = slot
    const startedAt = performance.now() - from
    const { promise, resolve } = Promise.withResolvers<null>()
    const running: RunningRecording = new RunningRecording({
      id: sessionId,
      writer: this.#writer,
      elapsed: () => performance.now() - startedAt,
      input,
      over: (end, cause) => {
        session.recordedAs('nothing')
        void this.#over(slot, running, end, cause).then(() => resolve(null))
      },
    })
    this.#active.set(sessionId, { running, slot, session, over: promise })
    session.recordedAs(partsOf(running))
    running.follow(session, open, mark)
    void this.#learnAnew(slot, running)
  }

  /** Finds secrets that were set after the first read, and before {@link credentialSet} knew the recording. */
  async #learnAnew(slot: Slot, running: RunningRecording): Promise<void> {
    try {
      running.learn(await this.#secretsOf(slot))
    } catch (error) {
      this.#parts.log.error({ sessionId: slot.sessionId, err: error }, 'the secrets of a recording could not be read')
    }
  }

  async #over(slot: Slot, { extent }: RunningRecording, end: RecordingEnd, cause: string | null): Promise<void> {
    const { repository, clock, log, agentLog, changed, ended } = this.#parts
    const { sessionId, row, mode, caller } = slot
    if (end !== null) {
      const state: RecordingState = end
      if (end !== 'complete') {
        log.error({ sessionId, because: end, cause }, 'a recording ended before its session')
        agentLog.record(
          row.id,
          'recording_lost',
          `The recording of ${caller.email}’s ${labelOf(mode)} ended ${LOST[end]}.`,
        )
      }
      await repository
        .ended(sessionId, state, extent, new Date(clock.now()))
        // The row stays open, and the next sweep ends it.
        .catch((error: unknown) => log.error({ sessionId, err: error }, 'the end of a recording could not be kept'))
    }
    this.#active.delete(sessionId)
    changed(row.id)
    if (end !== null) ended()
  }

  /**
   * A session does not depend on its recording. If preparing it fails, the agent's log says so, and the session is not
   * recorded.
   */
  async #orWithout(slot: Slot, prepare: () => Promise<Prepared | null>): Promise<Prepared | null> {
    try {
      return await prepare()
    } catch (error) {
      const { sessionId, row, caller } = slot
      this.#parts.log.error({ sessionId, err: error }, 'a session could not be recorded')
      const text = `The terminal of ${caller.email} is not recorded: the recording could not be started.`
      this.#parts.agentLog.record(row.id, 'recording_lost', text)
      return null
    }
  }
}

const partsOf = ({ input }: RunningRecording): RecordedParts => (input ? 'output_and_input' : 'output')
