/** Posts into threads what came of conversations: answers, questions, and reactions for states. */
import { ChatError, type ChatService, type Mark, MARKS, type Post } from './port.ts'
import { keyOf } from './names.ts'
import { closedPost, pageOf, questionPost } from './questions.ts'
import type { ChatThreadRepository } from './repository.ts'
import { elsewhereText, endOf, markOf, starterText, terminalText, threadTitle } from './texts.ts'
import { formatAnswer, type Formatted } from '../format/answer.ts'
import { inline } from '../format/clean.ts'
import { LINE_MAX } from './bounds.ts'

interface Deps {
  readonly chat: Pick<ChatService, 'post' | 'edit' | 'openThread' | 'typing' | 'mark'>
  readonly threads: ChatThreadRepository
  /** The address of the server for users. */
  readonly baseUrl: () => string
}

type Thread = NonNullable<Awaited<ReturnType<ChatThreadRepository['find']>>>
type Untold = Awaited<ReturnType<ChatThreadRepository['untold']>>[number]

export class Poster {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Brings a thread up to date. Rejects with the first `ChatError`, and continues there the next time. */
  async post(thread: Thread): Promise<void> {
    const placeId = thread.threadId ?? (await this.#open(thread))
    if (placeId === null) return
    await this.#marks(thread, placeId)
    await this.#questions(thread, placeId)
    await this.#answers(thread, placeId)
    await this.#marks(thread, placeId)
  }

  async #open({ conversationId, roomId, conversation }: Thread): Promise<string | null> {
    const { chat, threads } = this.#deps
    const [first] = await threads.untold(conversationId, 0)
    if (!first) return null
    const content = starterText(await this.#nameOf(first.user.email), conversation.agentName, first.text)
    const starterId = await this.#say(conversationId, roomId, { content }, keyOf(conversationId, 'start'))
    const threadId = await chat.openThread(roomId, starterId, threadTitle(conversation.title))
    await threads.opened(conversationId, threadId, starterId)
    return threadId
  }

  /** The ends of turns, in their order. */
  async #answers({ conversationId, conversation, saidSeq }: Thread, placeId: string): Promise<void> {
    const { chat, threads } = this.#deps
    for (const message of await threads.untold(conversationId, saidSeq)) {
      const { run, seq, state } = message
      if (state === 'sent' && run) {
        // The end is noted a moment later, with what became of the messages that waited.
        if (run.endedAt === null || run.id === conversation.currentRunId) {
          if (run.state === 'running') await chat.typing(placeId)
          return
        }
        await this.#tellFrom(message, placeId)
        const error = run.id === conversation.lastRunId ? conversation.error : null
        await this.#tell(message, placeId, endOf(run, error))
      } else if (state === 'refused') {
        const content = `❌ ${inline(message.error ?? 'Not sent.', LINE_MAX)}`
        await this.#say(conversationId, placeId, { content }, keyOf(message.id, 'refused'))
      } else if (state === 'steered') await this.#tellFrom(message, placeId)
      else if (state === 'terminal') {
        await this.#tellFrom(message, placeId, terminalText)
        await this.#tell(message, placeId, formatAnswer(message.answer ?? ''))
      }
      await threads.said(conversationId, seq)
    }
  }

  /** Posts an answer. */
  async #tell({ id, conversationId }: Untold, placeId: string, { chunks, file }: Formatted): Promise<void> {
    for (const [index, content] of chunks.entries()) {
      const isLast = index === chunks.length - 1
      const attached = isLast && file !== null ? { name: 'answer.md', text: file } : undefined
      await this.#say(conversationId, placeId, { content, file: attached }, keyOf(id, index))
    }
  }

  /** A message that was written on another way is quoted. */
  async #tellFrom(
    { id, conversationId, text, user, chatMessage }: Untold,
    placeId: string,
    quote = elsewhereText,
  ): Promise<void> {
    if (chatMessage) return
    const content = quote(await this.#nameOf(user.email), text)
    await this.#say(conversationId, placeId, { content }, keyOf(id, 'from'))
  }

  /** Posts, unless the channel was taken away from the agent meanwhile. */
  async #say(conversationId: string, placeId: string, post: Post, key: string): Promise<string> {
    if (!(await this.#deps.threads.isShown(conversationId)))
      throw new ChatError('gone', null, 'the channel was taken away from the agent')
    return this.#deps.chat.post(placeId, post, key)
  }

  async #questions({ conversationId, conversation }: Thread, placeId: string): Promise<void> {
    const { chat, threads, baseUrl } = this.#deps
    const open = conversation.currentRunId === null ? [] : await threads.unasked(conversation.currentRunId)
    for (const dialog of open) {
      const asked = questionPost(dialog, pageOf(baseUrl(), dialog.id))
      const remoteId = await this.#say(conversationId, placeId, asked, keyOf(dialog.id, 'asks'))
      await threads.asked(dialog.id, conversationId, remoteId)
    }
    for (const { dialog, remoteId } of await threads.unclosed(conversationId)) {
      const by = dialog.closedBy === null ? 'a user' : await this.#nameOf(dialog.closedBy)
      await chat.edit(placeId, remoteId, closedPost(dialog, by))
      await threads.closed(dialog.id)
    }
  }

  async #marks({ conversationId, roomId }: Thread, placeId: string): Promise<void> {
    const { chat, threads } = this.#deps
    for (const { messageId, remoteId, mark: stored, message } of await threads.unmarked(conversationId)) {
      const mark = markOf(message.state, message.run)
      const earlier: Mark | null = MARKS.find((one) => one === stored) ?? null
      if (mark === earlier) continue
      // The first message is not in its thread.
      await chat.mark(remoteId === placeId ? roomId : placeId, remoteId, mark, earlier)
      await threads.marked(messageId, mark)
    }
  }

  /** A user for the readers of a channel: their account there, or the first part of their address. */
  async #nameOf(email: string): Promise<string> {
    const accountId = await this.#deps.threads.accountOf(email)
    return accountId === null ? inline(email.split('@')[0] ?? email, LINE_MAX) : `<@${accountId}>`
  }
}
