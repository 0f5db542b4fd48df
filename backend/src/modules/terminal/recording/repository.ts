/** Recordings in the database. */
import type { RecordingState } from '@slipway/protocol'
import { notFound } from '../../../lib/errors.ts'
import type { PageStart } from '../../../lib/page.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Viewer } from '../../agents/repository.ts'
import type { AgentRow } from '../../agents/rows.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import type { Extent } from './cast/messages.ts'

export interface RecordingRow {
  readonly id: string
  readonly agentId: string
  readonly userId: string | null
  readonly email: string
  readonly mode: string
  readonly startedAt: Date
  readonly endedAt: Date | null
  readonly durationMs: number
  readonly bytes: number
  readonly state: RecordingState
  readonly input: boolean
  readonly shared: boolean
}

/** Which recordings a person sees: all, or their own and shared ones. */
export type Whose = 'all' | { readonly userId: string }

const visible = (whose: Whose) => (whose === 'all' ? {} : { OR: [{ userId: whose.userId }, { shared: true }] })
/** Owners and admins see all recordings of an agent. Users with whom it is shared see their own, and shared ones. */
const visibleTo = ({ userId, isAdmin }: Viewer) =>
  isAdmin
    ? {}
    : { OR: [{ agent: { ownerId: userId } }, { agent: { shares: { some: { userId } } }, ...visible({ userId }) }] }

/** Number of rows per query when all rows are read. */
const BATCH = 500

export class RecordingRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Audit

  constructor(prisma: PrismaClient, audit: Audit) {
    this.#prisma = prisma
    this.#audit = audit
  }

  async create(row: Pick<RecordingRow, 'id' | 'agentId' | 'userId' | 'email' | 'mode' | 'startedAt' | 'input'>) {
    await this.#prisma.recording.create({ data: row })
  }

  /** For the platform's own work, never for a request: it checks no access. */
  async byId(id: string): Promise<RecordingRow | null> {
    return this.#prisma.recording.findUnique({ where: { id } })
  }

  /**
   * The viewer's access is part of the query, so that the response time does not reveal whether a forbidden recording
   * exists.
   */
  async find(id: string, viewer: Viewer): Promise<RecordingRow | null> {
    return this.#prisma.recording.findFirst({ where: { id, ...visibleTo(viewer) } })
  }

  /** Newest first. Returns one more than `limit` if there are more. */
  async list(agentId: string, whose: Whose, { limit, after }: PageStart): Promise<RecordingRow[]> {
    return this.#prisma.recording.findMany({
      where: { agentId, ...visible(whose), ...(after === null ? {} : { id: { lt: after } }) },
      orderBy: { id: 'desc' },
      take: limit + 1,
    })
  }

  /** Removes the row of a recording that has no file. */
  async forget(id: string): Promise<void> {
    await this.#prisma.recording.deleteMany({ where: { id } })
  }

  /** Ends a recording, once. Later calls change nothing. */
  async ended(id: string, state: RecordingState, { bytes, atMs }: Extent, endedAt: Date): Promise<void> {
    const data = { state, bytes, durationMs: atMs, endedAt }
    await this.#prisma.recording.updateMany({ where: { id, state: 'recording' }, data })
  }

  /** Recordings that were not ended although their session has, for example after a kill of the server. */
  async left(except: readonly string[]): Promise<RecordingRow[]> {
    const open = await this.#prisma.recording.findMany({
      where: { state: 'recording', id: { notIn: [...except] } },
      take: BATCH,
    })
    const sessions = await this.#prisma.terminalSession.findMany({
      where: { id: { in: open.map(({ id }) => id) }, endedAt: null },
      select: { id: true },
    })
    const going = new Set(sessions.map(({ id }) => id))
    return open.filter(({ id }) => !going.has(id))
  }

  async share(row: RecordingRow, agent: AgentRow, shared: boolean, actor: Actor): Promise<RecordingRow> {
    return this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.recording.updateMany({ where: { id: row.id, shared: !shared }, data: { shared } })
      const changed = await tx.recording.findUnique({ where: { id: row.id } })
      if (!changed) throw notFound()
      const facts = { ...factsOf(row), changes: changesOf('Recording', { shared: row.shared }, { shared }) }
      const action = shared ? 'recording.shared' : 'recording.unshared'
      if (count > 0) await this.#audit.record(tx, { actor, action, ...agentEvent(agent, facts) })
      return changed
    })
  }

  /** False if it was deleted already. */
  async delete(row: RecordingRow, agent: Pick<AgentRow, 'id' | 'name' | 'ownerEmail'>, actor: Actor, because: string) {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const { count } = await tx.recording.deleteMany({ where: { id: row.id } })
      const event = agentEvent(agent, { ...factsOf(row), because })
      return count > 0 ? { actor, action: 'recording.deleted', ...event } : null
    })
  }

  /** Recordings that ended before `moment`, oldest first. */
  async endedBefore(moment: Date): Promise<RecordingRow[]> {
    return this.#prisma.recording.findMany({ where: { endedAt: { lt: moment } }, orderBy: { id: 'asc' }, take: BATCH })
  }

  /** Recordings that have ended, oldest first. */
  async oldest(): Promise<RecordingRow[]> {
    return this.#prisma.recording.findMany({
      where: { state: { not: 'recording' } },
      orderBy: { id: 'asc' },
      take: BATCH,
    })
  }

  /** Size of all recordings that have ended, in bytes. */
  async totalBytes(): Promise<number> {
    const { _sum } = await this.#prisma.recording.aggregate({ _sum: { bytes: true } })
    return _sum.bytes ?? 0
  }

  /** Those of the ids that have a row. */
  async known(ids: readonly string[]): Promise<Set<string>> {
    const known = new Set<string>()
    for (let at = 0; at < ids.length; at += BATCH) {
      const where = { id: { in: ids.slice(at, at + BATCH) } }
      for (const { id } of await this.#prisma.recording.findMany({ where, select: { id: true } })) known.add(id)
    }
    return known
  }

  /** All recordings that have ended, to compare them with the files. */
  async *all(): AsyncGenerator<RecordingRow> {
    for (let after: string | null = null; ;) {
      const rows: RecordingRow[] = await this.#prisma.recording.findMany({
        where: { state: { not: 'recording' }, ...(after === null ? {} : { id: { gt: after } }) },
        orderBy: { id: 'asc' },
        take: BATCH,
      })
      yield* rows
      after = rows.at(-1)?.id ?? null
      if (rows.length < BATCH || after === null) return
    }
  }
}

/** What the audit log says about a recording. */
export const factsOf = ({ id, email, mode, startedAt }: RecordingRow) => ({
  recordingId: id,
  of: email,
  mode,
  startedAt: startedAt.toISOString(),
})
