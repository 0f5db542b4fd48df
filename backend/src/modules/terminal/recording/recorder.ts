/** Which sessions are being recorded: begins, goes on with and ends recordings, and keeps their rows. */
import type { RecordedParts, RecordingState } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { AgentLog } from '../../agents/logs/agent-log.ts'
import type { Provisioner } from '../../credentials/provision.ts'
import type { SetSecret } from '../../credentials/service.ts'
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
  readonly provisioner: Pick<Provisioner, 'secrets'>
  readonly limits: CastLimits
  readonly clock: Clock
  readonly log: Log
  readonly agentLog: Pick<AgentLog, 'record'>
  /** What is recorded of an agent's sessions changed. */
  readonly changed: (agentId: string) => void
  /** One has ended, and its row says so. */
  readonly ended: () => void
}

/** What people are told of a recording that ended before its session. */
const LOST: Record<Exclude<RecordingEnd, 'complete' | null>, string> = {
  disk_full: 'because the disk was full',
  too_large: 'because it had become as large as one may be',
  failed: 'because it could not be written',
}

/** One that is ready to follow its session. */
export type Prepared = (session: Session) => void

interface Active {
  readonly running: RunningRecording
  readonly slot: Slot
  readonly session: Session
  /** Settled when its row says how it ended, or another server goes on with it. */
  readonly over: Promise<null>
}

export class Recorder {
  readonly #parts: Parts
  readonly #writer = new CastWriter()
  readonly #active = new Map<string, Active>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** For a session whose program is about to be started; null where nothing is to be recorded. Never fails: the session goes on. */
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

  /** For a session that was taken over from an earlier server; null where that did not record it, or it should not be any more. */
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

  /** The session of a recording that was begun did not come to be: there is no file yet. */
  async abandon(sessionId: string): Promise<void> {
    const { repository, log } = this.#parts
    await repository
      .forget(sessionId)
      .catch((error: unknown) => log.error({ sessionId, err: error }, 'a recording could not be taken back'))
  }

  /** The sessions that are being recorded now. */
  get ids(): string[] {
    return [...this.#active.keys()]
  }

  /** Of one that is being written: what of it is in the file. */
  extentOf(id: string) {
    return this.#active.get(id)?.running.extent ?? null
  }

  /** An agent's settings changed: what is not to be recorded any more ends now; what is to be, begins with the next session. */
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

  /** A credential was set: what a session may come to show of it is masked from now on, and what it was before stays so. */
  credentialSet({ owner, secret }: SetSecret): void {
    for (const { running, slot } of this.#active.values()) {
      const people = [slot.caller.userId, slot.row.ownerId]
      const isKnown =
        owner.type === 'platform' || (owner.type === 'agent' ? owner.id === slot.row.id : people.includes(owner.id))
      if (isKnown) running.learn([secret])
    }
  }

  /** Resolves when everything that is known of the sessions so far is in the files. Call it when they have ended or are let go. */
  async close(): Promise<void> {
    await Promise.all([...this.#active.values()].map(({ over }) => over))
    await this.#writer.stop()
  }

  /** Ends a file that an earlier server left and nobody goes on with. */
  closeLeft(id: string, mark: string): Promise<Extent> {
    const { promise, resolve } = Promise.withResolvers<Extent>()
    // Lost, as when the file is gone: then there is nothing of it.
    this.#writer.listen(id, ({ bytes = 0, atMs = 0 }) => resolve({ bytes, atMs }))
    this.#writer.send({ type: 'close_left', id, path: this.#parts.files.pathOf(id), mark })
    return promise
  }

  #secretsOf({ caller, row }: Slot): Promise<string[]> {
    return this.#parts.provisioner.secrets(caller.userId, row)
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

  /** What was set after its secrets were read, and before anybody could tell it. */
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
        // It stays open in the database, and is ended there by the next sweep.
        .catch((error: unknown) => log.error({ sessionId, err: error }, 'the end of a recording could not be kept'))
    }
    this.#active.delete(sessionId)
    changed(row.id)
    if (end !== null) ended()
  }

  /** A recording is no condition of a session: what keeps it from beginning is told, and the session is not recorded. */
  async #orWithout(slot: Slot, prepare: () => Promise<Prepared | null>): Promise<Prepared | null> {
    try {
      return await prepare()
    } catch (error) {
      const { sessionId, row, caller } = slot
      this.#parts.log.error({ sessionId, err: error }, 'a session could not be recorded')
      const text = `The terminal of ${caller.email} is not recorded: the recording could not be begun.`
      this.#parts.agentLog.record(row.id, 'recording_lost', text)
      return null
    }
  }
}

const partsOf = ({ input }: RunningRecording): RecordedParts => (input ? 'output_and_input' : 'output')
