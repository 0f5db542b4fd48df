/** Reads messages of threads: each one of a linked account is a message of the conversation, once. */
import { AppError } from '../../../lib/errors.ts'
import type { ConversationMessages } from '../../conversations/messages.ts'
import type { ChatAccountService } from '../../identity/chat-accounts/service.ts'
import { inline } from '../format/clean.ts'
import { LINE_MAX } from './bounds.ts'
import { idFrom, keyOf } from './names.ts'
import { type ChatService, PAGE, type RemoteMessage } from './port.ts'
import type { ChatThreadRepository, WaitingMessage } from './repository.ts'

interface Deps {
  readonly chat: Pick<ChatService, 'name' | 'after' | 'message' | 'mark' | 'post'>
  readonly threads: ChatThreadRepository
  readonly accounts: Pick<ChatAccountService, 'callerOf'>
  readonly messages: Pick<ConversationMessages, 'send' | 'edit' | 'withdraw'>
}

type Thread = NonNullable<Awaited<ReturnType<ChatThreadRepository['find']>>>

export class Reader {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Reads on from the last message that was read. Where it stops, the next call goes on. */
  async read({
    conversationId,
    threadId,
    cursor,
  }: Pick<Thread, 'conversationId' | 'threadId' | 'cursor'>): Promise<void> {
    const { chat, threads } = this.#deps
    if (threadId === null || cursor === null) return
    for (let last = cursor; ;) {
      const page = await chat.after(threadId, last)
      for (const message of page) {
        if (!(await threads.isShown(conversationId))) return
        await this.#take(conversationId, threadId, message)
        await threads.read(conversationId, message.id)
        last = message.id
      }
      if (page.length < PAGE) return
    }
  }

  /** Takes over edits and deletions of messages that wait. The message of a turn that has begun stays as it was sent. */
  async readChanges({ conversationId, threadId }: Pick<Thread, 'conversationId' | 'threadId'>): Promise<void> {
    const { chat, threads } = this.#deps
    if (threadId === null) return
    for (const waiting of await threads.waiting(conversationId)) {
      const message = await chat.message(threadId, waiting.remoteId)
      if (message === 'deleted') await this.#withdraw(conversationId, waiting)
      else if (message) await this.#compare(conversationId, waiting, message)
    }
  }

  /** A change on the page that came after the last edit in the service stays. */
  async #compare(
    conversationId: string,
    { messageId, editedAt: lookedAt }: WaitingMessage,
    message: RemoteMessage,
  ): Promise<void> {
    const { editedAt } = message
    if (editedAt === null || editedAt.getTime() <= (lookedAt?.getTime() ?? 0)) return
    await this.#edit(conversationId, messageId, message)
    await this.#deps.threads.edited(messageId, editedAt)
  }

  /**
   * By the user of the message: the service does not say who deleted it. A user who is not linked any more withdraws
   * nothing.
   */
  async #withdraw(conversationId: string, { messageId, remoteId, accountId }: WaitingMessage): Promise<void> {
    const { chat, accounts, messages } = this.#deps
    if (accountId === null) return
    const caller = await accounts.callerOf(chat.name, accountId, `${chat.name} ${remoteId}`)
    if (caller) await unlessRefused(messages.withdraw(caller, conversationId, messageId))
  }

  async #edit(conversationId: string, messageId: string, { id, text, author }: RemoteMessage): Promise<void> {
    const { chat, accounts, messages } = this.#deps
    if (author === null || text.trim() === '') return
    const caller = await accounts.callerOf(chat.name, author.id, `${chat.name} ${id}`)
    if (caller) await unlessRefused(messages.edit(caller, conversationId, messageId, { text: textOf(text) }))
  }

  async #take(conversationId: string, threadId: string, message: RemoteMessage): Promise<void> {
    const { id, text, author } = message
    const { chat, threads, accounts, messages } = this.#deps
    if (author === null || text.trim() === '') return
    const caller = await accounts.callerOf(chat.name, author.id, `${chat.name} ${id}`)
    if (!caller) return chat.mark(threadId, id, 'locked', null)
    try {
      const sent = await messages.send(caller, conversationId, { text: textOf(text) }, idFrom(chat.name, id))
      await threads.sent(conversationId, sent.id, message)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await chat.mark(threadId, id, 'failed', null)
      await chat.post(threadId, { content: `❌ ${inline(error.message, LINE_MAX)}` }, keyOf(id, 'refused'))
    }
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['NOT_FOUND', 'WRONG_STATE', 'FORBIDDEN', 'VALIDATION'])

/** A message that does not wait any more stays as it was sent, and so does one that its user may not change any more. */
const unlessRefused = async (change: Promise<unknown>): Promise<void> => {
  try {
    await change
  } catch (error) {
    if (!(error instanceof AppError && REFUSALS.has(error.code))) throw error
  }
}

/** A prompt has no NUL. */
const textOf = (text: string): string => text.replaceAll('\0', '\ufffd')
