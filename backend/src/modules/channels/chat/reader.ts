/** Reads messages of threads: each one of a linked account is a message of the conversation, once. */
import { AppError } from '../../../lib/errors.ts'
import type { ConversationMessages } from '../../conversations/messages.ts'
import type { ChatAccountService } from '../../identity/chat-accounts/service.ts'
import { inline } from '../format/clean.ts'
import { LINE_MAX } from './bounds.ts'
import { idFrom, keyOf } from './names.ts'
import { type ChatService, PAGE, type RemoteMessage } from './port.ts'
import type { ChatThreadRepository } from './repository.ts'

interface Deps {
  readonly chat: Pick<ChatService, 'name' | 'after' | 'message' | 'mark' | 'post'>
  readonly threads: ChatThreadRepository
  readonly accounts: Pick<ChatAccountService, 'callerOf'>
  readonly messages: Pick<ConversationMessages, 'send' | 'edit'>
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

  /** Takes over changes of messages that wait. That of a turn that has begun stays as it was sent. */
  async readEdits({ conversationId, threadId }: Pick<Thread, 'conversationId' | 'threadId'>): Promise<void> {
    const { chat, threads } = this.#deps
    if (threadId === null) return
    for (const { messageId, remoteId, editedAt } of await threads.waiting(conversationId)) {
      const message = await chat.message(threadId, remoteId)
      // A change on the page that came after the last one in the service stays.
      if (!message?.editedAt || message.editedAt.getTime() <= (editedAt?.getTime() ?? 0)) continue
      await this.#edit(conversationId, messageId, message)
      await threads.edited(messageId, message.editedAt)
    }
  }

  async #edit(conversationId: string, messageId: string, { id, text, author }: RemoteMessage): Promise<void> {
    const { chat, accounts, messages } = this.#deps
    if (author === null || text.trim() === '') return
    const caller = await accounts.callerOf(chat.name, author.id, `${chat.name} ${id}`)
    if (!caller) return
    try {
      await messages.edit(caller, conversationId, messageId, { text: textOf(text) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
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

/** A prompt has no NUL. */
const textOf = (text: string): string => text.replaceAll('\0', '\ufffd')
