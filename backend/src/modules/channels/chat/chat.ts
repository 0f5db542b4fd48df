/** Puts a chat service and the conversations together. */
import type { Registry } from 'prom-client'
import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { Sweeper } from '../../../lib/time/sweeper.ts'
import type { Conversations } from '../../conversations/conversations.ts'
import type { Dialogs } from '../../dialogs/dialogs.ts'
import type { ChatAccountService } from '../../identity/chat-accounts/service.ts'
import { LOOK_EVERY_MS } from './bounds.ts'
import { ChatCommands } from './commands.ts'
import { ChatMetrics } from './metrics.ts'
import type { ChatListener, ChatService } from './port.ts'
import { Poster } from './poster.ts'
import { Reader } from './reader.ts'
import { ChatThreadRepository } from './repository.ts'
import type { ChatRoomRepository } from './rooms-repository.ts'
import { ChatThreads } from './threads.ts'

interface Deps {
  readonly chat: ChatService
  readonly rooms: ChatRoomRepository
  readonly prisma: Database['prisma']
  readonly accounts: ChatAccountService
  readonly conversations: Conversations
  readonly dialogs: Pick<Dialogs, 'service' | 'news'>
  readonly metrics: Registry
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly log: Log
}

/** Conversations in the threads of one chat service. */
export const createChat = (deps: Deps) => {
  const { chat, rooms, prisma, accounts, conversations, dialogs, baseUrl, clock, log } = deps
  const metrics = new ChatMetrics(deps.metrics, { name: chat.name, isConnected: () => chat.isConnected })
  const threads = new ChatThreadRepository(prisma, chat.name)
  const reader = new Reader({ chat, threads, accounts, messages: conversations.messages })
  const poster = new Poster({ chat, threads, baseUrl })
  const kept = new ChatThreads({
    ...{ chat, threads, reader, poster, metrics, clock, log },
    conversations: conversations.repository,
  })
  const commands = new ChatCommands({
    ...{ chat, accounts, rooms, threads, baseUrl, clock },
    conversations: conversations.service,
    dialogs: dialogs.service,
    tend: (id) => kept.tend(id),
  })
  const onFailure = (error: unknown): void =>
    log.error({ err: error, service: chat.name }, 'a chat could not be kept up to date')
  const safely = (act: Promise<void>): Promise<void> => act.catch(onFailure)
  const sweeper = new Sweeper({ steps: [() => kept.look()], everyMs: LOOK_EVERY_MS, onFailure })
  conversations.news.on(({ event }) => {
    if (event.type === 'conversation:changed') void safely(kept.tend(event.conversation.id))
  })
  dialogs.news.on(({ event }) => {
    if (!('dialog' in event) || event.dialog.sessionId === null) return
    void safely(kept.asked(event.dialog.sessionId))
  })
  const listener: ChatListener = {
    connected: () => void safely(kept.connected()),
    rang: (placeId) => void safely(kept.rang(placeId)),
    changed: (placeId) => safely(kept.changed(placeId)),
    commanded: (command) => safely(commands.command(command)),
    pressed: (press) => safely(commands.press(press)),
    submitted: (submission) => safely(commands.submit(submission)),
  }
  return {
    start: async (): Promise<void> => {
      sweeper.start()
      await chat.connect(listener)
    },
    end: async (): Promise<void> => {
      await Promise.all([sweeper.stop(), kept.stop()])
      await chat.close()
    },
  }
}
