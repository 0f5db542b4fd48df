/** Dialogs in the database. */
import type { AnswerDialog, DialogQuestion, DialogState } from '@slipway/protocol'
import { isUniqueViolation } from '../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { type Viewer, viewerOf, visible } from '../agents/repository.ts'
import type { Caller } from '../identity/caller.ts'

/** A dialog to store. */
export interface NewDialog {
  readonly id: string
  readonly agentId: string
  readonly agentName: string
  /** Null: the agent itself asks. */
  readonly userId: string | null
  /** What a program in the agent calls its question. Absent: null, another asks. */
  readonly askId?: string | null
  readonly runId: string | null
  readonly requestId: string | null
  readonly personal: boolean
  readonly folder: string | null
  readonly title: string
  readonly message: string | null
  readonly question: DialogQuestion
  /** Absent: null. */
  readonly expiresAt?: Date | null
}

/** A stored dialog. */
export interface DialogRow extends Omit<NewDialog, 'agentId' | 'askId' | 'expiresAt'> {
  readonly agentId: string | null
  readonly askId: string | null
  readonly expiresAt: Date | null
  readonly state: DialogState
  readonly answer: AnswerDialog | null
  readonly closedById: string | null
  readonly closedBy: string | null
  readonly openedAt: Date
  readonly closedAt: Date | null
  readonly sentAt: Date | null
}

/** How an open dialog is closed. */
export interface Closing {
  readonly state: Exclude<DialogState, 'open'>
  readonly answer?: AnswerDialog
  /** The user who closes it. Absent: none does. */
  readonly by?: Pick<Caller, 'userId' | 'email'>
  readonly at: Date
}

/** Records the closing in the audit log. */
export type RecordClosing = (tx: Prisma.TransactionClient, row: DialogRow) => Promise<void>

/** What a list asks for. */
interface Filter {
  readonly state?: DialogState | undefined
  readonly session?: string | undefined
  readonly limit: number
}

/** The dialogs that a caller may see: in agents that they may see, and their own in deleted ones. */
const seenBy = (caller: Caller, viewer: Viewer) => ({
  OR: [{ agentId: null, userId: viewer.userId }, { agent: { is: visible(viewer) } }],
  // An API token sees nothing of a program with a user's own credential.
  ...(caller.via.kind === 'api_token' && { personal: false }),
})

export class DialogRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Stores a dialog. Answers null if the task has asked this already. */
  async open(dialog: NewDialog): Promise<DialogRow | null> {
    const { question, ...columns } = dialog
    try {
      const row = await this.#prisma.dialog.create({
        data: { ...columns, question: question as Prisma.InputJsonValue, state: 'open' },
      })
      return toRow(row)
    } catch (error) {
      if (isUniqueViolation(error)) return null
      throw error
    }
  }

  /** The same for a question of the API. `limit` is how many its user may have. Null if they have so many. */
  async ask(dialog: NewDialog, limit: number, record: RecordClosing): Promise<DialogRow | null> {
    const { question, ...columns } = dialog
    return this.#prisma.$transaction(async (tx) => {
      const open = await tx.dialog.count({ where: { userId: dialog.userId, runId: null, askId: null, state: 'open' } })
      if (open >= limit) return null
      const data = { ...columns, question: question as Prisma.InputJsonValue, state: 'open' }
      const row = toRow(await tx.dialog.create({ data }))
      await record(tx, row)
      return row
    })
  }

  /** Closes the dialogs whose time is over. */
  async expire(now: Date): Promise<DialogRow[]> {
    const rows = await this.#prisma.dialog.updateManyAndReturn({
      where: { state: 'open', expiresAt: { lte: now } },
      data: closedData({ state: 'expired', at: now }),
    })
    return rows.map(toRow)
  }

  /** The first closing wins. Answers null if another one was faster. */
  async close(id: string, closing: Closing, record?: RecordClosing): Promise<DialogRow | null> {
    return this.#prisma.$transaction(async (tx) => {
      const [closed] = await tx.dialog.updateManyAndReturn({
        where: { id, state: 'open', OR: [{ expiresAt: null }, { expiresAt: { gt: closing.at } }] },
        data: closedData(closing),
      })
      if (closed === undefined) return null
      const row = toRow(closed)
      await record?.(tx, row)
      return row
    })
  }

  /** Withdraws the open dialogs of a task, or only those that its program does not wait for any more. */
  async withdraw(runId: string, at: Date, requestIds?: readonly string[]): Promise<DialogRow[]> {
    const of = requestIds === undefined ? {} : { requestId: { in: [...requestIds] } }
    const rows = await this.#prisma.dialog.updateManyAndReturn({
      where: { runId, state: 'open', ...of },
      data: closedData({ state: 'withdrawn', at }),
    })
    return rows.map(toRow)
  }

  /** Withdraws the open dialogs whose agent was deleted. */
  async withdrawOfDeleted(at: Date): Promise<DialogRow[]> {
    const rows = await this.#prisma.dialog.updateManyAndReturn({
      where: { agentId: null, state: 'open' },
      data: closedData({ state: 'withdrawn', at }),
    })
    return rows.map(toRow)
  }

  /** The open dialogs of tasks that have ended. A backend was killed between two writes. At most `limit`. */
  async orphans(limit: number): Promise<string[]> {
    const rows = await this.#prisma.dialog.findMany({
      where: { state: 'open', run: { is: { endedAt: { not: null } } } },
      select: { runId: true },
      distinct: ['runId'],
      take: limit,
    })
    return rows.flatMap(({ runId }) => runId ?? [])
  }

  /** Notes that the answer is being given to the program. Answers false if that was noted before. */
  async sent(id: string, at: Date): Promise<boolean> {
    const { count } = await this.#prisma.dialog.updateMany({ where: { id, sentAt: null }, data: { sentAt: at } })
    return count > 0
  }

  /** The dialogs of a task with these requests. */
  async ofRun(runId: string, requestIds: readonly string[]): Promise<DialogRow[]> {
    return (await this.#prisma.dialog.findMany({ where: { runId, requestId: { in: [...requestIds] } } })).map(toRow)
  }

  /** The questions that programs of a task have asked on their own, the newest first. */
  async ofPrograms(runId: string, limit: number): Promise<DialogRow[]> {
    const where = { runId, askId: { not: null } }
    return (await this.#prisma.dialog.findMany({ where, orderBy: { openedAt: 'desc' }, take: limit })).map(toRow)
  }

  /** The caller's access is part of the query, so that a forbidden dialog and a missing one look the same. */
  async find(id: string, caller: Caller): Promise<DialogRow | null> {
    const row = await this.#prisma.dialog.findFirst({ where: { id, ...seenBy(caller, viewerOf(caller)) } })
    return row && toRow(row)
  }

  /** Those that the caller may see, newest first. */
  async list(caller: Caller, { state, session, limit }: Filter): Promise<DialogRow[]> {
    const rows = await this.#prisma.dialog.findMany({
      where: {
        ...seenBy(caller, viewerOf(caller)),
        ...(state !== undefined && { state }),
        ...(session !== undefined && { runId: session }),
      },
      orderBy: { openedAt: 'desc' },
      take: limit,
    })
    return rows.map(toRow)
  }

  /**
   * The first open ones that the caller should answer, of their own tasks and in their own agents, oldest first, and how
   * many they are.
   */
  async needing(caller: Caller, limit: number): Promise<{ readonly items: DialogRow[]; readonly total: number }> {
    const { userId } = caller
    const isTheirs = { OR: [{ userId }, { agent: { is: { ownerId: userId } } }] }
    const where = { state: 'open', AND: [seenBy(caller, viewerOf(caller)), isTheirs] }
    const [rows, total] = await Promise.all([
      this.#prisma.dialog.findMany({ where, orderBy: { openedAt: 'asc' }, take: limit }),
      this.#prisma.dialog.count({ where }),
    ])
    return { items: rows.map(toRow), total }
  }
}

const closedData = ({ state, answer, by, at }: Closing) => ({
  state,
  closedAt: at,
  closedById: by?.userId ?? null,
  closedBy: by?.email ?? null,
  ...(answer !== undefined && { answer: answer as Prisma.InputJsonValue }),
})

/** The columns hold what this module has stored there. */
export const toRow = (row: Prisma.DialogGetPayload<object>): DialogRow => row as unknown as DialogRow
