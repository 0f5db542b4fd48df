/** The messages of a conversation: those that were sent, with what came of them, and those that wait. */
import {
  type ConversationMessage,
  type ConversationTurns,
  type SendMessage,
  TURNS_LIMIT_DEFAULT,
  type TurnsQuery,
  type UpdateQueuedMessage,
} from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import { viewerOf } from '../agents/repository.ts'
import type { Caller } from '../identity/caller.ts'
import type { Untaken } from '../runs/conduct/holder.ts'
import type { RunService } from '../runs/service.ts'
import { validationOf } from '../runs/start/validation.ts'
import { type MessageRepository, isArchived } from './message-repository.ts'
import type { ConversationRepository } from './repository.ts'
import { type ConversationService, entryOf, type FoundConversation, newMessage, writtenBy } from './service.ts'
import type { Turns } from './turns.ts'
import type { MessageRow, NewMessage } from './rows.ts'
import { takesMessages, toMessage, unendedRun } from './view.ts'

export interface MessageDeps {
  readonly service: Pick<ConversationService, 'require'>
  readonly conversations: ConversationRepository
  readonly messages: MessageRepository
  readonly runs: Pick<RunService, 'listed' | 'steering'>
  readonly turns: Pick<Turns, 'moveOn'>
  /** Tells about a change of a conversation. */
  readonly tell: (id: string) => Promise<void>
  readonly newId: NewId
  readonly clock: Clock
}

export class ConversationMessages {
  readonly #deps: MessageDeps

  constructor(deps: MessageDeps) {
    this.#deps = deps
  }

  /** The last turns in their order, or the last ones before a number. */
  async past(
    caller: Caller,
    id: string,
    { before, limit = TURNS_LIMIT_DEFAULT }: TurnsQuery,
  ): Promise<ConversationTurns> {
    const { service, conversations, runs } = this.#deps
    await service.require(caller, id, 'conversation.view')
    const rows = await conversations.past(id, before, limit + 1)
    const shown = rows.slice(0, limit).toReversed()
    const began = shown.flatMap(({ state, runId }) => (state === 'sent' && runId !== null ? runId : []))
    const found = new Map((await conversations.runs(began, viewerOf(caller))).map((run) => [run.id, run]))
    const items = shown.map((row) => {
      const run = row.state === 'sent' && row.runId !== null ? found.get(row.runId) : undefined
      return { message: toMessage(row), run: run ? runs.listed(caller, run) : null }
    })
    return { items, before: rows.length > limit ? (shown[0]?.seq ?? null) : null }
  }

  /** The messages that wait, in their order. */
  async queue(caller: Caller, id: string): Promise<ConversationMessage[]> {
    await this.#deps.service.require(caller, id, 'conversation.view')
    return (await this.#deps.conversations.queue(id)).map(toMessage)
  }

  /**
   * Sends a message: as the next turn, behind the messages that wait. `resourceId` names it at every retry of the same
   * request. Throws what `ConversationService.require` throws, `FORBIDDEN`, `WRONG_STATE`, `TOO_MANY_MESSAGES`, `CANNOT_STEER`.
   */
  async send(
    caller: Caller,
    id: string,
    { how, ...said }: SendMessage,
    resourceId: string | undefined,
  ): Promise<ConversationMessage> {
    const { conversations, messages, turns, tell, newId, clock } = this.#deps
    const { row, found } = await this.#requireAgent(caller, id)
    const earlier = resourceId === undefined ? null : await conversations.message(id, resourceId)
    if (earlier) return toMessage(earlier)
    if (row.archivedAt !== null) throw isArchived()
    // A token that may not validate learns it now, not when the turn begins.
    if (found) validationOf(found, said)
    const message = newMessage(resourceId ?? newId(), caller, said, new Date(clock.now()))
    const run = how === 'steer' ? unendedRun(row) : null
    if (run && !takesMessages(row)) throw cannotSteer('does not take messages')
    // It has the policy, the credentials and the budget of its user.
    if (run && run.userId !== caller.userId) throw cannotSteer('belongs to another user, who alone may steer it')
    const isSteered = run !== null && (await this.#steer(caller, { row, found }, run.id, message))
    if (!isSteered) await messages.add(id, message, entryOf(caller, row, found, 'conversation.message_sent'))
    await tell(id)
    await turns.moveOn(id)
    const stored = await conversations.message(id, message.id)
    if (!stored) throw notFound()
    return toMessage(stored)
  }

  /**
   * Gives a message to the turn that runs. It is stored first, so that it is given once at most. Answers false if another
   * turn is next. A message that the program did not take any more is the next turn.
   */
  async #steer(
    caller: Caller,
    { row, found }: Pick<FoundConversation, 'row' | 'found'>,
    runId: string,
    message: NewMessage,
  ): Promise<boolean> {
    const { messages, runs } = this.#deps
    // First, because a message that is stored as given must not be refused any more.
    const give = await runs.steering(caller, runId)
    const entry = entryOf(caller, row, found, 'conversation.steered')
    if (!(await messages.steer(row.id, runId, message, entry))) return false
    if (!(await give(message))) await messages.requeue({ runId, messageId: message.id })
    return true
  }

  /** A CLI has refused a message that was given to its turn, which waits now. Does nothing if that is known. */
  async notTaken(untaken: Untaken): Promise<void> {
    const { messages, turns, tell } = this.#deps
    const conversationId = await messages.requeue(untaken)
    if (conversationId === null) return
    await tell(conversationId)
    await turns.moveOn(conversationId)
  }

  /**
   * Changes the text of one's own message that waits, or its place in the queue. With another text, the message has the
   * proof of this caller. Throws what `ConversationService.require` throws, `FORBIDDEN`, `WRONG_STATE`.
   */
  async edit(
    caller: Caller,
    id: string,
    messageId: string,
    { text, position }: UpdateQueuedMessage,
  ): Promise<ConversationMessage[]> {
    const { conversations, messages, tell } = this.#deps
    const { row, found } = await this.#requireAgent(caller, id)
    const message = await this.#requireMessage(caller, { row, found }, messageId)
    if (text !== undefined && message.userId !== caller.userId)
      throw new AppError('FORBIDDEN', 'Only the user who wrote the message may change its text.')
    const entry = entryOf(caller, row, found, 'conversation.message_changed')
    const said = text === undefined ? undefined : { text, ...writtenBy(caller) }
    await messages.edit(id, messageId, { said, position }, entry)
    await tell(id)
    return (await conversations.queue(id)).map(toMessage)
  }

  /** Withdraws a message that waits. Throws what `ConversationService.require` throws, `FORBIDDEN`, `WRONG_STATE`. */
  async withdraw(caller: Caller, id: string, messageId: string): Promise<void> {
    const { service, messages, tell } = this.#deps
    const { row, found } = await service.require(caller, id, 'conversation.write')
    await this.#requireMessage(caller, { row, found }, messageId)
    await messages.withdraw(id, messageId, entryOf(caller, row, found, 'conversation.message_withdrawn'))
    await tell(id)
  }

  /** Checks the right before the kept answer to a repeated request is sent again. */
  async checkAgain(caller: Caller, id: string): Promise<void> {
    await this.#requireAgent(caller, id)
  }

  async #requireAgent(caller: Caller, id: string): Promise<FoundConversation> {
    const conversation = await this.#deps.service.require(caller, id, 'conversation.write')
    if (!conversation.found) throw new AppError('WRONG_STATE', 'The agent of this conversation was deleted.')
    return conversation
  }

  /** A sharee changes their own messages, and those of others in their own conversations. */
  async #requireMessage(
    caller: Caller,
    { row, found }: Pick<FoundConversation, 'row' | 'found'>,
    messageId: string,
  ): Promise<MessageRow> {
    const message = isUuid(messageId) ? await this.#deps.conversations.message(row.id, messageId) : null
    if (!message) throw notFound()
    const isOwn = message.userId === caller.userId || row.userId === caller.userId
    if (!isOwn && found?.relation === 'sharee')
      throw new AppError('FORBIDDEN', 'Only the user of the message or the conversation, and the owner may do this.')
    return message
  }
}

const cannotSteer = (why: string): AppError =>
  new AppError('CANNOT_STEER', `The turn that runs ${why}. Queue the message instead.`)
