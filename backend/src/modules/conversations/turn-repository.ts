/** The turns of conversations in the database: how each begins, and what its end means for the conversation. */
import { isForeignKeyViolation } from '../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { notFound } from '../../lib/errors.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { Actor } from '../audit/actor.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import { lineRefusal } from '../runs/line/repository.ts'
import { newRow } from '../runs/repository.ts'
import type { Plan } from '../runs/start/plan.ts'
import { lockUser, requireRoom } from './room-repository.ts'
import { locked, releaseQueued, settle } from './settling-repository.ts'
import type { ConversationRow, MessageRow, NewConversation, NewMessage } from './rows.ts'

/** A turn that is to begin: its run waits in line. */
export interface PlannedTurn {
  readonly plan: Pick<Plan, 'run' | 'found'>
  readonly actor: Actor
}

/** From where a conversation is forked. */
export type Forked = Pick<ConversationRow, 'forkedFromId' | 'resumeRunId' | 'cliSessionId'>

/** What is made in the transaction that makes a conversation. */
export type AlsoBegun = (
  tx: Prisma.TransactionClient,
  conversation: Pick<NewConversation, 'id' | 'agentId'>,
) => Promise<void>

/** What became of a turn. `changed`: the conversation is not as it was; `full`: the line takes no further run now. */
export type Begun = 'begun' | 'changed' | 'full'

export class TurnRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /**
   * Stores a conversation with its first turn, and what `also` makes in the same transaction. Throws `TOO_MANY_CONVERSATIONS`, `TOO_MANY_TASKS`, and `NOT_FOUND` if the
   * agent is gone.
   */
  async create(conversation: NewConversation, message: NewMessage, turn: PlannedTurn, also?: AlsoBegun): Promise<void> {
    const { id, userId, options, ...columns } = conversation
    await this.#prisma
      .$transaction(async (tx) => {
        // It locks the user's row, so that two concurrent requests cannot both create the last one.
        const refusal = await lineRefusal(tx, userId)
        await requireRoom(tx, userId)
        if (refusal) throw refusal
        const { row } = turn.plan.found
        const facts = { conversationId: id, provider: conversation.provider }
        await this.#audit.record(tx, {
          actor: turn.actor,
          action: 'conversation.created',
          ...agentEvent(row, facts),
        })
        const runId = await this.#storeRun(tx, id, turn)
        const stored = { ...columns, options: options as Prisma.InputJsonValue }
        await tx.conversation.create({ data: { id, userId, ...stored, currentRunId: runId, lastRunId: runId } })
        await tx.conversationMessage.create({ data: { ...message, conversationId: id, seq: 1, state: 'sent', runId } })
        await also?.(tx, conversation)
      })
      .catch((error: unknown) => {
        if (isForeignKeyViolation(error)) throw notFound()
        throw error
      })
  }

  /** Stores a conversation without a turn, which continues with another one's session. Throws `TOO_MANY_CONVERSATIONS`. */
  async fork(conversation: NewConversation, from: Forked, entry: AuditEntry): Promise<void> {
    const { options, ...columns } = conversation
    await this.#prisma.$transaction(async (tx) => {
      await lockUser(tx, conversation.userId)
      await requireRoom(tx, conversation.userId)
      const stored = { ...columns, options: options as Prisma.InputJsonValue, ...from, forks: true }
      await tx.conversation.create({ data: stored })
      await this.#audit.record(tx, entry)
    })
  }

  /**
   * Begins the turn of a message, in one transaction: so the message has one run, however many backends look at the
   * conversation, and wherever one is killed. `from` and `message` are as they were planned.
   */
  async begin(
    from: Pick<ConversationRow, 'id' | 'resumeRunId'>,
    message: Pick<MessageRow, 'id' | 'text' | 'userId' | 'via' | 'viaId'>,
    turn: PlannedTurn,
  ): Promise<Begun> {
    return this.#prisma.$transaction(async (tx) => {
      const row = await locked(tx, from.id)
      const isSame = row?.currentRunId === null && row.archivedAt === null && row.resumeRunId === from.resumeRunId
      const next = await tx.conversationMessage.findFirst({
        where: { conversationId: from.id, state: 'queued' },
        orderBy: { seq: 'asc' },
        select: { id: true, text: true, via: true, viaId: true },
      })
      // A turn that was planned with another proof may do something else.
      const isPlanned =
        next?.text === message.text &&
        next.via === message.via &&
        next.viaId === message.viaId &&
        next.id === message.id
      if (!isSame || !isPlanned) return 'changed'
      if (await lineRefusal(tx, message.userId)) return 'full'
      const runId = await this.#storeRun(tx, from.id, turn)
      await tx.conversationMessage.update({ where: { id: message.id }, data: { state: 'sent', runId } })
      const data = { currentRunId: runId, lastRunId: runId, error: null }
      await tx.conversation.update({ where: { id: from.id }, data })
      return 'begun'
    })
  }

  /** The run of a message cannot start. The messages behind it are released. */
  async refuse(id: string, message: Pick<MessageRow, 'id'>, why: string): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await locked(tx, id)
      const { count } = await tx.conversationMessage.updateMany({
        where: { id: message.id, state: 'queued' },
        data: { state: 'refused', error: why },
      })
      if (count > 0) await tx.conversation.update({ where: { id }, data: { error: await releaseQueued(tx, id, why) } })
    })
  }

  /** Notes the end of its turn. Answers whether there was something to note. */
  async settle(id: string): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const row = await locked(tx, id)
      return row !== null && settle(tx, row)
    })
  }

  async #storeRun(tx: Prisma.TransactionClient, conversationId: string, { plan, actor }: PlannedTurn): Promise<string> {
    const { run, found } = plan
    const facts = { sessionId: run.id, taskId: run.id, provider: run.provider, relation: found.relation }
    const event = agentEvent(found.row, { ...facts, conversationId })
    await this.#audit.record(tx, { actor, action: 'task.queued', ...event })
    await tx.codingRun.create({ data: newRow({ ...run, cliSessionId: null }, 'queued') })
    return run.id
  }
}
