/** Messages to people that wait to be sent, in the database. */
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { SKEW_MAX_MS } from '../../../lib/time/clock.ts'
import { type DialogRow, toRow } from '../../dialogs/repository.ts'
import { BATCH, WAIT_MAX_MS } from '../bounds.ts'

/** Where messages go: to one device, or to a user's mail address. Those of one target are sent together. */
export interface Target {
  readonly userId: string
  /** Null: mail. */
  readonly deviceId: string | null
}

/** A message to store, about a question or about a terminal. */
export interface NewNotice extends Target {
  readonly id: string
  readonly dialogId: string | null
  /** The terminal's session. */
  readonly sessionId: string | null
}

/** A stored message with its question, if it is about one. */
export interface NoticeRow extends NewNotice {
  readonly attempts: number
  readonly dialog: DialogRow | null
}

/** A question of which no message is stored yet. */
export interface Untold {
  readonly dialog: DialogRow
  /** The users who should answer it. */
  readonly userIds: readonly string[]
}

export class NoticeRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /**
   * Open questions that were asked before a time, oldest first, and those whose time is of a clock that was set back.
   */
  async untold(before: Date, now: Date): Promise<Untold[]> {
    const asked = [{ openedAt: { lte: before } }, { openedAt: { gt: new Date(now.getTime() + SKEW_MAX_MS) } }]
    const rows = await this.#prisma.dialog.findMany({
      where: { state: 'open', noticedAt: null, OR: asked },
      include: { agent: { select: { ownerId: true } } },
      orderBy: { openedAt: 'asc' },
      take: BATCH,
    })
    return rows.map(({ agent, ...row }) => {
      const userIds = [row.userId, agent?.ownerId ?? null].filter((id) => id !== null)
      return { dialog: toRow(row), userIds: [...new Set(userIds)] }
    })
  }

  /** Stores the messages of a question. Of two servers that do it at once, one succeeds. */
  async store(dialogId: string, notices: readonly NewNotice[], at: Date): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.dialog.updateMany({
        where: { id: dialogId, noticedAt: null },
        data: { noticedAt: at },
      })
      if (count === 0) return false
      await create(tx, notices, at)
      return true
    })
  }

  /** Stores the messages of a terminal, in place of earlier ones that wait still. */
  async storeOfTerminal(sessionId: string, notices: readonly NewNotice[], at: Date): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await tx.notice.deleteMany({ where: { sessionId, nextAt: { not: null } } })
      await create(tx, notices, at)
    })
  }

  async countPending(userId: string): Promise<number> {
    return this.#prisma.notice.count({ where: { userId, nextAt: { not: null } } })
  }

  /** The targets with messages that are due, those that wait longest first; at most {@link BATCH}. */
  async due(now: Date): Promise<Target[]> {
    const rows = await this.#prisma.notice.groupBy({
      by: ['userId', 'deviceId'],
      where: this.#isDue(now),
      _min: { nextAt: true },
      orderBy: { _min: { nextAt: 'asc' } },
      take: BATCH,
    })
    return rows.map(({ userId, deviceId }) => ({ userId, deviceId }))
  }

  /** What is due of one target: terminals, then the newest question first. */
  async dueOf(target: Target, now: Date): Promise<NoticeRow[]> {
    const rows = await this.#prisma.notice.findMany({
      where: { ...target, ...this.#isDue(now) },
      include: { dialog: true },
      orderBy: [{ dialog: { openedAt: 'desc' } }, { createdAt: 'desc' }],
      take: BATCH,
    })
    return rows.map((row) => ({ ...row, dialog: row.dialog && toRow(row.dialog) }))
  }

  /**
   * What was sent to a target and may still wait: open questions, and these terminals. In the order of {@link dueOf}, and
   * each once.
   */
  async sentOf(target: Target, sessionIds: readonly string[]): Promise<NoticeRow[]> {
    const mayWait = [{ dialog: { state: 'open' } }, { sessionId: { in: [...sessionIds] } }]
    const rows = await this.#prisma.notice.findMany({
      where: { ...target, sentAt: { not: null }, nextAt: null, OR: mayWait },
      distinct: ['dialogId', 'sessionId'],
      include: { dialog: true },
      orderBy: [{ dialog: { openedAt: 'desc' } }, { createdAt: 'desc' }],
      take: BATCH,
    })
    return rows.map((row) => ({ ...row, dialog: row.dialog && toRow(row.dialog) }))
  }

  /** When the last message to a target was sent. One that is later than `now` is of a clock that was set back since. */
  async lastSentAt(target: Target, now: Date): Promise<Date | null> {
    const where = { ...target, sentAt: { lte: now } }
    const { _max } = await this.#prisma.notice.aggregate({ where, _max: { sentAt: true } })
    return _max.sentAt
  }

  async drop(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#prisma.notice.deleteMany({ where: { id: { in: [...ids] } } })
  }

  /** They are due later. That is no attempt. */
  async postpone(ids: readonly string[], nextAt: Date): Promise<void> {
    if (ids.length > 0) await this.#prisma.notice.updateMany({ where: { id: { in: [...ids] } }, data: { nextAt } })
  }

  /**
   * Begins an attempt with all of them or with none. Of two servers, one gets them. If that one is killed, the next
   * attempt is at `nextAt`.
   */
  async claim(ids: readonly string[], now: Date, nextAt: Date): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const where: Prisma.NoticeWhereInput = { id: { in: [...ids] }, ...this.#isDue(now) }
      const { count } = await tx.notice.updateMany({ where, data: { attempts: { increment: 1 }, nextAt } })
      return count > 0
    })
  }

  async sent(ids: readonly string[], at: Date): Promise<void> {
    await this.#prisma.notice.updateMany({ where: { id: { in: [...ids] } }, data: { sentAt: at, nextAt: null } })
  }

  /** The message of this id to a user. */
  async find(userId: string, id: string): Promise<(Target & Pick<NewNotice, 'dialogId'>) | null> {
    return this.#prisma.notice.findFirst({ where: { id, userId } })
  }

  /** A new one is due at once, whatever the clock says. The others do not wait longer than {@link WAIT_MAX_MS}. */
  #isDue(now: Date) {
    const isNew = { nextAt: { equals: this.#prisma.notice.fields.createdAt } }
    const isTooFar = { nextAt: { gt: new Date(now.getTime() + WAIT_MAX_MS + SKEW_MAX_MS) } }
    return { nextAt: { not: null }, OR: [{ nextAt: { lte: now } }, isNew, isTooFar] }
  }

  /** Removes those that were sent before a time. */
  async prune(before: Date): Promise<void> {
    await this.#prisma.notice.deleteMany({ where: { sentAt: { lt: before } } })
  }
}

const create = async (tx: Prisma.TransactionClient, notices: readonly NewNotice[], at: Date): Promise<void> => {
  // A device that is removed at the same time would make all of it fail.
  const deviceIds = notices.flatMap(({ deviceId }) => deviceId ?? [])
  await tx.$queryRaw`SELECT 1 FROM "PushDevice" WHERE "id" = ANY(${deviceIds}::uuid[]) FOR KEY SHARE`
  const left = await tx.pushDevice.findMany({ where: { id: { in: deviceIds } }, select: { id: true } })
  const stays = ({ deviceId }: NewNotice): boolean => deviceId === null || left.some(({ id }) => id === deviceId)
  const data = notices.filter(stays).map((notice) => ({ ...notice, nextAt: at, createdAt: at }))
  await tx.notice.createMany({ data })
}
