/** What accounts ask for: commands, buttons and forms. Each acts with the rights of the linked user. */
import { CreateConversation } from '@slipway/protocol'
import Value from 'typebox/value'
import { AppError } from '../../../lib/errors.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { ConversationService } from '../../conversations/service.ts'
import type { DialogService } from '../../dialogs/service.ts'
import type { Caller } from '../../identity/caller.ts'
import type { ChatAccountService } from '../../identity/chat-accounts/service.ts'
import { inline } from '../format/clean.ts'
import { LINE_MAX } from './bounds.ts'
import { idFrom } from './names.ts'
import { type Asked, ChatError, type ChatService, type Command, type Press, type Submission } from './port.ts'
import { answerOfChoice, answerOfForm, formOf, isOffered, pageOf, partOf } from './questions.ts'
import type { ChatThreadRepository } from './repository.ts'
import type { ChatRoomRepository } from './rooms-repository.ts'
import { NOT_LINKED } from './texts.ts'

interface Deps {
  readonly chat: Pick<ChatService, 'name'>
  readonly accounts: Pick<ChatAccountService, 'callerOf' | 'link'>
  readonly rooms: Pick<ChatRoomRepository, 'agentsIn'>
  readonly threads: Pick<ChatThreadRepository, 'create' | 'find' | 'byThread'>
  readonly conversations: Pick<ConversationService, 'create'>
  readonly dialogs: Pick<DialogService, 'require' | 'answer' | 'get'>
  /** Brings the thread of a conversation up to date. */
  readonly tend: (conversationId: string) => Promise<void>
  /** The address of the platform. */
  readonly baseUrl: () => string
  readonly clock: Clock
}

/** Options of `/code` that the request to begin a conversation has under the same names. */
const TEXT_OPTIONS = ['provider', 'model', 'policy', 'worktree'] as const

export class ChatCommands {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async command(command: Command): Promise<void> {
    await this.#reply(command, () => (command.name === 'link' ? this.#link(command) : this.#code(command)))
  }

  /** The first answer wins. The message of the question then shows it, so a press that wins needs no answer. */
  async press(press: Press): Promise<void> {
    const part = partOf(press.buttonId)
    const caller = await this.#callerOf(press)
    if (!part || !(await this.#isShown(press))) return press.reply('This button has no use any more.')
    if (!caller) return press.reply(NOT_LINKED)
    await this.#refusing(press, async () => {
      const { row } = await this.#deps.dialogs.require(caller, part.dialogId, 'dialog.answer')
      const url = pageOf(this.#deps.baseUrl(), row.id)
      if (!isOffered(row, url, press.buttonId))
        return press.reply(`Its page shows all of it, and takes the answer: <${url}>`)
      if ('form' in part) return press.openForm(formOf(row, part.form))
      const answer = answerOfChoice(row.question, part.choice)
      if (!answer) return press.reply('The question has no such answer.')
      await press.accept()
      await this.#deps.dialogs.answer(caller, part.dialogId, answer, this.#deps.chat.name)
    })
  }

  async submit(submission: Submission): Promise<void> {
    await this.#reply(submission, async () => {
      const part = partOf(submission.formId)
      const caller = await this.#callerOf(submission)
      if (!caller) return NOT_LINKED
      if (!part || !('form' in part) || !(await this.#isShown(submission))) return 'This form has no use any more.'
      const { dialogs, chat } = this.#deps
      const { row } = await dialogs.require(caller, part.dialogId, 'dialog.answer')
      const answer = answerOfForm(row.question, part.form, submission.values)
      await dialogs.answer(caller, part.dialogId, answer, chat.name)
      return 'Answered.'
    })
  }

  async #link({ account, options, id }: Command): Promise<string> {
    const { accounts, chat } = this.#deps
    const linked = await accounts.link(chat.name, account, options.get('code') ?? '', `${chat.name} ${id}`)
    if (linked === 'limited') return 'There were too many wrong codes. Try again in some minutes.'
    if (linked === 'wrong')
      return 'This code is wrong, was used, or is too old. Make another one on your account page in Slipway.'
    return 'Your account is linked. What you do here has your rights in Slipway.'
  }

  async #code(command: Command): Promise<string> {
    const { rooms, conversations, threads, tend, chat, clock } = this.#deps
    const { options, placeId, id } = command
    const caller = await this.#callerOf(command)
    if (!caller) return NOT_LINKED
    const agents = await rooms.agentsIn(placeId)
    const agent = options.get('agent') ?? (agents.length === 1 ? agents[0] : undefined)
    if (agents.length === 0)
      return 'No agent is open in this channel. The owner of an agent chooses its channels in Slipway.'
    if (agent === undefined) return 'Several agents are open in this channel. Choose one with the option `agent`.'
    // The same answer as for an agent that is elsewhere, or not there at all.
    if (!agents.includes(agent)) return 'No such agent is open in this channel.'
    const folder = options.get('folder')
    const chosen = TEXT_OPTIONS.flatMap((name) => (options.has(name) ? [[name, options.get(name)]] : []))
    const body: unknown = {
      ...{ agent, prompt: options.get('prompt') ?? '', ...Object.fromEntries(chosen) },
      ...(folder !== undefined && { cwd: folder }),
      ...(options.has('validate') && { validate: options.get('validate') === 'true' }),
      ...(options.has('repairs') && { gate: { repairs: Number(options.get('repairs')) } }),
    }
    if (!Value.Check(CreateConversation, body)) return 'The agent, the prompt or another option is not as it must be.'
    const room = { roomId: placeId, createdAt: new Date(clock.now()) }
    const conversation = await conversations.create(caller, body, idFrom(chat.name, id), (tx, made) =>
      threads.create(tx, made, room),
    )
    await tend(conversation.id)
    const thread = await threads.find(conversation.id)
    return thread?.threadId ? `The conversation is in <#${thread.threadId}>.` : 'The conversation begins in a moment.'
  }

  /** Whether the place is a thread that shows a conversation still. */
  async #isShown({ placeId }: Asked): Promise<boolean> {
    return (await this.#deps.threads.byThread(placeId)) !== null
  }

  #callerOf({ account, id }: Asked): Promise<Caller | null> {
    const { accounts, chat } = this.#deps
    return accounts.callerOf(chat.name, account.id, `${chat.name} ${id}`)
  }

  async #reply(asked: Asked, act: () => Promise<string>): Promise<void> {
    await this.#refusing(asked, async () => asked.reply(await act()))
  }

  /** A refusal is the answer. Another failure is one, too, and is passed on. */
  async #refusing(asked: Asked, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (error instanceof ChatError) throw error
      const isRefusal = error instanceof AppError
      const why = isRefusal ? error.message : 'Slipway could not do this. Try again later. Its log says why.'
      await asked.reply(`❌ ${inline(why, LINE_MAX)}`)
      if (!isRefusal) throw error
    }
  }
}
