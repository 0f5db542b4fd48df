/** Runs in the database. */
import type { ChangeCounts, ModelUsage, RunPolicy, RunReason, RunState, ValidationState } from '@slipway/protocol'
import { isForeignKeyViolation } from '../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { type Viewer, viewerOf, visible } from '../agents/repository.ts'
import type { Caller } from '../identity/caller.ts'
import type { RunEnd } from './end.ts'
import type { RunCost } from './ledger/shares.ts'
import { lastTotals, type SessionOfCli, storedTotals } from './ledger/totals-repository.ts'
import { BOOKED, bookEnd } from './ledger/usage-repository.ts'
import type { NewRun } from './new-run.ts'
import { NO_OUTBOX, type RunOutbox } from './outbox/repository.ts'
import { asksSince } from './people/repository.ts'
import { withBeginnings } from './search/prompt-repository.ts'
import { type Collected, storedEnd, type StoredRunEnd } from './stored-end.ts'

/** Most rows of one query over all runs. */
export const BATCH = 500
/** The states with a program. */
export const HELD = ['starting', 'running'] as const satisfies readonly RunState[]
/** The states before the end. */
export const UNENDED = ['queued', 'waiting', ...HELD] as const satisfies readonly RunState[]

/** A stored run. */
export interface RunRow
  extends Omit<NewRun, 'agentId' | 'policy' | 'validate' | 'validation' | 'gateRepairs'>, ChangeCounts, RunCost {
  readonly gateRepairs: number | null
  /** How many repairs have begun. */
  readonly repairs: number
  /** What the CLI is told in the repair that begins or runs. */
  readonly repairPrompt: string | null
  /** How long its processes before its last validation ran, in milliseconds. */
  readonly workedMs: number
  /** What its earlier processes have cost, in US dollars. */
  readonly spentUsd: number
  readonly validation: ValidationState | null
  readonly policy: RunPolicy | null
  readonly agentId: string | null
  readonly personal: boolean
  readonly state: RunState
  readonly reason: RunReason | null
  readonly error: string | null
  readonly exitCode: number | null
  readonly result: string | null
  readonly lastSeq: number
  readonly generation: number
  readonly continuesAt: Date | null
  /** Since when it waits for people; null while it does not. */
  readonly asksSince: Date | null
  /** How long it has waited for people before that, in milliseconds. */
  readonly askedMs: number
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  /** The git tree of its work tree at its start, until its changes are collected. */
  readonly startTree: string | null
  readonly scheduleId: string | null
  /** The message of a conversation that began it, if it was read with {@link WITH_CONVERSATION}. Empty: there is none. */
  readonly messages?: readonly { readonly conversationId: string }[]
  /** It has ended before. */
  readonly archivedAt: Date | null
}

/** When a run has ended, and which backend held it last. */
export type StoredEnding = Pick<RunRow, 'endedAt' | 'generation'>

/** A run as one backend holds it. With an older generation nothing is written any more. */
export interface Held {
  readonly id: string
  readonly generation: number
}

/** What of a row changes when a process of its run begins or ends. */
export type AsRead = Pick<RunRow, 'generation' | 'state' | 'lastSeq'>

/** An active run without an open session. */
export type Orphan = Pick<RunRow, 'id' | 'agentId' | 'provider' | 'personal' | 'generation'>

/** Reads the conversation of a run, too, for what is shown of the run. */
export const WITH_CONVERSATION = { messages: { select: { conversationId: true }, take: 1 } } as const

const isHeld = { state: { in: [...HELD] } }
const isUnended = { state: { in: [...UNENDED] } }

/** The runs of a caller that they may see: in agents that they may see, and in deleted ones. */
export const seenBy = (viewer: Viewer) => ({
  OR: [{ agentId: null, userId: viewer.userId }, { agent: { is: visible(viewer) } }],
})
/** An API token sees no run that holds a user's own credential. */
export const open = (caller: Caller) => (caller.via.kind === 'api_token' ? { personal: false } : {})

/** Records a new run in the audit log. */
export type RecordRun = (tx: Prisma.TransactionClient) => Promise<void>

/** The row of a new run. */
export const newRow = (run: NewRun, state: 'starting' | 'queued') => ({
  ...run,
  state,
  startedAt: state === 'starting' ? run.createdAt : null,
  personal: false,
})

export class RunRepository {
  readonly #prisma: PrismaClient
  readonly #outbox: RunOutbox

  constructor(prisma: PrismaClient, outbox = NO_OUTBOX) {
    this.#prisma = prisma
    this.#outbox = outbox
  }

  /** `record` is called in the same transaction. False if the agent or the user is gone. */
  async create(run: NewRun, state: 'starting' | 'queued', record?: RecordRun): Promise<boolean> {
    const store = (tx: Prisma.TransactionClient) => tx.codingRun.create({ data: newRow(run, state) })
    try {
      await (record ? this.#prisma.$transaction((tx) => record(tx).then(() => store(tx))) : store(this.#prisma))
      return true
    } catch (error) {
      if (isForeignKeyViolation(error)) return false
      throw error
    }
  }

  /** Removes a run that did not start. */
  async forget(id: string): Promise<void> {
    await this.#prisma.codingRun.deleteMany({ where: { id, generation: 1, ...isHeld } })
  }

  /** A process of it gets a personal credential. It stays personal, because its events hold what that process prints. */
  async becomePersonal({ id, generation }: Held): Promise<void> {
    await this.#prisma.codingRun.updateMany({ where: { id, generation, ...isHeld }, data: { personal: true } })
  }

  /** False if it has ended meanwhile. */
  async running({ id, generation }: Held): Promise<boolean> {
    const { count } = await this.#prisma.codingRun.updateMany({
      where: { id, generation, ...isHeld },
      data: { state: 'running' },
    })
    return count > 0
  }

  /** Stores the CLI's own session, once the CLI has named it. */
  async named({ id, generation }: Held, cliSessionId: string): Promise<void> {
    await this.#prisma.codingRun.updateMany({ where: { id, generation, ...isHeld }, data: { cliSessionId } })
  }

  /** It begins to wait for people, or does not wait any more. Answers whether this backend still holds it. */
  async asks({ id, generation }: Held, isWaiting: boolean, now: Date): Promise<boolean> {
    const begins = this.#outbox.store.bind(this.#outbox)
    return asksSince(this.#prisma, { id, generation, ...isHeld }, isWaiting ? now : null, now, (tx, run) =>
      begins(tx, run, 'task.asks'),
    )
  }

  /** Only the first end of the newest generation is stored. Answers whether this one was. */
  async end({ id, generation }: Held, end: StoredRunEnd): Promise<boolean> {
    return this.#settle({ id, generation }, end)
  }

  /**
   * Ends an active run that no backend holds. Answers whether it did. With `asRead`, only if no process of it has begun or
   * ended since its row was read: its end has what the last one has used.
   */
  async endLeft(id: string, end: RunEnd & Partial<StoredRunEnd>, asRead?: AsRead): Promise<boolean> {
    const where = asRead && { generation: asRead.generation, state: asRead.state, lastSeq: asRead.lastSeq }
    return this.#settle({ id, ...where }, end)
  }

  /** Stores the work tree of its start. Its program has not started. */
  async began({ id, generation }: Held, startTree: string): Promise<void> {
    await this.#prisma.codingRun.updateMany({ where: { id, generation, ...isHeld }, data: { startTree } })
  }

  /** Its changes were collected after its end was stored. */
  async changed({ id, generation }: Held, collected: Collected): Promise<void> {
    await this.#prisma.codingRun.updateMany({ where: { id, generation }, data: collected })
  }

  /** The end and what was used are stored together, so that a crash neither loses nor doubles a cost. */
  #settle(where: Prisma.CodingRunWhereInput, { usage = [], ...end }: RunEnd & Partial<StoredRunEnd>): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const [run] = await tx.codingRun.updateManyAndReturn({
        where: { ...where, ...isUnended },
        data: storedEnd(end),
        select: BOOKED,
      })
      if (run) await bookEnd(tx, run, usage)
      if (run) await this.#outbox.store(tx, run, 'task.ended')
      return run !== undefined
    })
  }

  /** What the CLI printed last as the totals of a session, before this run. Null: they were deleted with a user. */
  async totalsBefore(session: SessionOfCli): Promise<ModelUsage[] | null> {
    return lastTotals(this.#prisma, session)
  }

  /** The last words of a program came after the end was stored. The ledger keeps what it has. */
  async extended({ id, generation }: Held, lastSeq: number, totals: readonly ModelUsage[]): Promise<void> {
    await this.#prisma.codingRun.updateMany({
      where: { id, generation },
      data: { lastSeq, ...storedTotals(totals) },
    })
  }

  /** The transcript of a run that has ended has more events. */
  async addedTo(id: string, lastSeq: number): Promise<void> {
    await this.#prisma.codingRun.updateMany({ where: { id, endedAt: { not: null } }, data: { lastSeq } })
  }

  /** Takes the run over from an earlier backend. Null if it has ended, or if another backend was faster. */
  async takeOver({ id, generation }: Held): Promise<number | null> {
    const next = generation + 1
    const { count } = await this.#prisma.codingRun.updateMany({
      where: { id, generation, ...isHeld },
      data: { generation: next },
    })
    return count > 0 ? next : null
  }

  /** Whether a later backend has taken the run over. */
  async isTaken({ id, generation }: Held): Promise<boolean> {
    return (await this.#prisma.codingRun.count({ where: { id, generation: { gt: generation } } })) > 0
  }

  /**
   * The viewer's access is part of the query, so that the response time does not reveal whether a forbidden run exists.
   * After the deletion of the agent, only the run's user finds it.
   */
  async find(id: string, viewer: Viewer): Promise<RunRow | null> {
    const row = await this.#prisma.codingRun.findFirst({
      where: { id, ...seenBy(viewer) },
      include: WITH_CONVERSATION,
    })
    return row as RunRow | null
  }

  /** For the platform's own work, never for a request: it checks no access. */
  async byId(id: string): Promise<RunRow | null> {
    const row = await this.#prisma.codingRun.findUnique({ where: { id } })
    return row as RunRow | null
  }

  /** The same with its conversation, to be shown to others. */
  async shown(id: string): Promise<RunRow | null> {
    const row = await this.#prisma.codingRun.findUnique({ where: { id }, include: WITH_CONVERSATION })
    return row as RunRow | null
  }

  /** A user's runs that are active or ended after a time, newest first, at most {@link BATCH}. Their prompts are cut. */
  async recentOf(caller: Caller, endedAfter: Date): Promise<RunRow[]> {
    const isRecent = { archivedAt: null, OR: [{ endedAt: null }, { endedAt: { gt: endedAfter } }] }
    const rows = await this.#prisma.codingRun.findMany({
      where: { userId: caller.userId, ...seenBy(viewerOf(caller)), ...open(caller), AND: [isRecent] },
      omit: { prompt: true },
      include: WITH_CONVERSATION,
      orderBy: { createdAt: 'desc' },
      take: BATCH,
    })
    return (await withBeginnings(this.#prisma, 'run', rows)) as RunRow[]
  }

  /** How the runs with these ids have ended. One without a row is left out. */
  async endings(ids: readonly string[]): Promise<Map<string, StoredEnding>> {
    const found = new Map<string, StoredEnding>()
    const select = { id: true, endedAt: true, generation: true }
    for (let at = 0; at < ids.length; at += BATCH) {
      const where = { id: { in: ids.slice(at, at + BATCH) } }
      for (const { id, ...ending } of await this.#prisma.codingRun.findMany({ where, select })) found.set(id, ending)
    }
    return found
  }

  /** The same, by the session of its current process. */
  async bySession(sessionId: string): Promise<RunRow | null> {
    const row = await this.#prisma.codingRun.findUnique({ where: { sessionId } })
    return row as RunRow | null
  }

  /**
   * The active runs from before a time that have no open session, at most {@link BATCH}. A backend was killed between two
   * writes.
   */
  async orphans(before: Date): Promise<Orphan[]> {
    return this.#prisma.$queryRaw<Orphan[]>`
      SELECT r."id", r."agentId", r."provider", r."personal", r."generation" FROM "CodingRun" r
      LEFT JOIN "TerminalSession" s ON s."id" = r."sessionId" AND s."endedAt" IS NULL
      WHERE r."state" IN ('starting', 'running') AND s."id" IS NULL AND r."beganAt" < ${before}
      LIMIT ${BATCH}`
  }
}
