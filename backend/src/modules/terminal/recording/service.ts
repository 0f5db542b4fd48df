/** What users may see of recordings, and do with them. */
import type { Recording } from '@slipway/protocol'
import { expiryOf, type Keeping } from '../../../lib/time/keeping.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import { type PageOf, pageOf, type PageStart } from '../../../lib/page.ts'
import { type Action, allows } from '../../access/policy.ts'
import { type AgentRepository, viewerOf } from '../../agents/repository.ts'
import { agentEvent } from '../../agents/recorded.ts'
import { type AgentRow, relationOf } from '../../agents/rows.ts'
import type { Found } from '../../agents/service.ts'
import type { Audit } from '../../audit/audit.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { RecordingFiles, WholeLines } from './files.ts'
import type { Recorder } from './recorder.ts'
import { factsOf, type RecordingRepository, type RecordingRow, type Whose } from './repository.ts'

interface Parts {
  readonly repository: RecordingRepository
  readonly files: RecordingFiles
  readonly recorder: Pick<Recorder, 'extentOf'>
  readonly agents: Pick<AgentRepository, 'byId'>
  readonly audit: Pick<Audit, 'recordNow'>
  readonly keeping: Pick<Keeping, 'days'>
}

/** A recording, its agent, and the caller's relation to the agent. */
export interface FoundRecording extends Found {
  readonly recording: RecordingRow
}

/** The content of a recording's file, for a response. */
export interface CastContent extends WholeLines {
  /** The file's name for a download. */
  readonly name: string
}

/** Owners and admins see all recordings of an agent. Users with whom it is shared see their own, and shared ones. */
const whoseFor = ({ caller, relation }: Pick<Found, 'caller' | 'relation'>): Whose =>
  relation === 'sharee' ? { userId: caller.userId } : 'all'

export class RecordingService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws the same `NOT_FOUND` for a missing recording as for a hidden one, and `FORBIDDEN` for a visible one. */
  async require(caller: Caller, id: string, action: Action): Promise<FoundRecording> {
    const { repository, agents } = this.#parts
    const recording = isUuid(id) ? await repository.find(id, viewerOf(caller)) : null
    const row = recording && (await agents.byId(recording.agentId))
    const relation = row && relationOf(caller, row)
    if (!recording || !row || !relation) throw notFound()
    if (!allows(caller, action, relation))
      throw new AppError('FORBIDDEN', 'You may view this recording, but not share or delete it.')
    return { caller, row, relation, recording }
  }

  /** Newest first. */
  async list(found: Found, start: PageStart): Promise<PageOf<Recording>> {
    const rows = await this.#parts.repository.list(found.row.id, whoseFor(found), start)
    return pageOf(
      rows,
      start.limit,
      (row) => row.id,
      (recording) => this.view({ ...found, recording }),
    )
  }

  /** While it is in progress, with its current length. */
  view({ caller, row, relation, recording }: FoundRecording): Recording {
    const extent = recording.state === 'recording' ? this.#parts.recorder.extentOf(recording.id) : null
    return {
      id: recording.id,
      agent: agentOf(row),
      user: { id: recording.userId, email: recording.email },
      mode: recording.mode,
      startedAt: recording.startedAt.toISOString(),
      endedAt: recording.endedAt?.toISOString() ?? null,
      expiresAt: expiryOf(recording, this.#parts.keeping)?.toISOString() ?? null,
      durationMs: extent?.atMs ?? recording.durationMs,
      bytes: extent?.bytes ?? recording.bytes,
      state: recording.state,
      input: recording.input,
      shared: recording.shared,
      mayManage: allows(caller, 'recordings.manage', relation),
    }
  }

  /**
   * Its content; while it is in progress, its content so far. Access is recorded in the audit log before the first
   * byte.
   */
  async read(found: FoundRecording, isDownload: boolean): Promise<CastContent> {
    const { recording, row } = found
    const content = await this.#parts.files.read(recording.id)
    if (!content) throw notFound()
    try {
      await this.#record(found, isDownload ? 'recording.downloaded' : 'recording.viewed')
    } catch (error) {
      await content.close()
      throw error
    }
    const day = recording.startedAt.toISOString().slice(0, 19).replaceAll(':', '')
    return { ...content, name: `slipway-${row.name}-${day}.cast` }
  }

  async share(found: FoundRecording, shared: boolean): Promise<Recording> {
    const { repository } = this.#parts
    const recording = await repository.share(found.recording, found.row, shared, actorOf(found.caller))
    return this.view({ ...found, recording })
  }

  /** Throws `WRONG_STATE` while it is in progress. */
  async delete({ caller, row, recording }: FoundRecording): Promise<void> {
    const { repository, files } = this.#parts
    if (recording.state === 'recording')
      throw new AppError(
        'WRONG_STATE',
        'This session is still being recorded. End it or switch recording off, then delete the recording.',
      )
    await repository.delete(recording, row, actorOf(caller), 'asked_for')
    await files.remove(recording.id)
  }

  #record({ caller, row, recording }: FoundRecording, action: 'recording.viewed' | 'recording.downloaded') {
    return this.#parts.audit.recordNow({ actor: actorOf(caller), action, ...agentEvent(row, factsOf(recording)) })
  }
}

const agentOf = ({ id, name, isSystem }: AgentRow) => ({ id, name, isSystem })
