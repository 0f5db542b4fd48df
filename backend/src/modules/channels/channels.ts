/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import { type Clock, HOUR_MS } from '../../lib/time/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { Sweeper } from '../../lib/time/sweeper.ts'
import type { Audit } from '../audit/audit.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { Networks } from '../credentials/probe/networks.ts'
import type { Agents } from '../agents/agents.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { Dialogs } from '../dialogs/dialogs.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { ChatAccountService } from '../identity/chat-accounts/service.ts'
import type { PreferenceService } from '../identity/preferences/service.ts'
import { KEPT_MS, LOOK_EVERY_MS } from './bounds.ts'
import { createChat } from './chat/chat.ts'
import { ChatRoomRepository } from './chat/rooms-repository.ts'
import { chatRoutes } from './chat/routes.ts'
import { Discord, type DiscordConfig } from './discord/discord.ts'
import { Looking } from './looking.ts'
import { MailSender } from './mail/sender.ts'
import type { SmtpConfig } from './mail/smtp-url.ts'
import { ChannelMetrics } from './metrics.ts'
import { NoticeDeliverer } from './outbox/deliverer.ts'
import { Planner } from './outbox/planner.ts'
import { NoticeRepository } from './outbox/repository.ts'
import { PushKeyRepository } from './push/key-repository.ts'
import { DeviceRepository } from './push/repository.ts'
import { PushSender } from './push/sender.ts'
import { channelRoutes } from './routes.ts'
import { ChannelService } from './service.ts'
import type { WaitingTerminals } from './terminals.ts'

interface Deps {
  /** `pushHosts` may be pushed to although they are not public. */
  readonly config: {
    readonly pushHosts: readonly string[]
    readonly smtp: SmtpConfig | null
    readonly discord: DiscordConfig | null
  }
  readonly prisma: Database['prisma']
  readonly audit: Audit
  readonly credentials: Pick<Credentials, 'keyring' | 'state'>
  readonly agents: Pick<Agents, 'agents'>
  readonly conversations: Conversations
  readonly dialogs: Pick<Dialogs, 'service' | 'news'>
  readonly terminals: { readonly registry: WaitingTerminals }
  readonly accounts: ChatAccountService
  readonly preferences: Pick<PreferenceService, 'get'>
  readonly authenticator: Authenticator
  readonly metrics: Registry
  /** The address of the server for users. */
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}

/** Reaches users who have no page open, for a question or a terminal that waits: by push, by mail, and in chats. */
export const createChannels = (deps: Deps) => {
  const { config, prisma, audit, preferences, authenticator, baseUrl, clock, newId, log } = deps
  const { keyring, state } = deps.credentials
  const dialogs = deps.dialogs.service
  const terminals = deps.terminals.registry
  const looking = new Looking()
  const keys = new PushKeyRepository({ prisma, keyring, state, log })
  const devices = new DeviceRepository(prisma, audit)
  const notices = new NoticeRepository(prisma)
  const pushes = new PushSender({ keys, networks: new Networks(config.pushHosts), baseUrl })
  const mails = new MailSender(config.smtp)
  const mail = config.smtp !== null
  const planner = new Planner({ notices, devices, terminals, preferences, mail, newId, clock })
  const deliverer: NoticeDeliverer = new NoticeDeliverer({
    ...{
      notices,
      devices,
      pushes,
      mails,
      looking,
      preferences,
      authenticator,
      dialogs,
      terminals,
      baseUrl,
      clock,
      log,
    },
    metrics: new ChannelMetrics(deps.metrics),
    freed: () => void sweeper.sweep(),
  })
  const onFailure = (error: unknown): void => log.error({ err: error }, 'the messages to users could not be looked at')
  const sweeper: Sweeper = new Sweeper({
    steps: [() => planner.plan(), () => deliverer.look()],
    everyMs: LOOK_EVERY_MS,
    onFailure,
  })
  const pruner = new Sweeper({
    steps: [() => notices.prune(new Date(clock.now() - KEPT_MS))],
    everyMs: HOUR_MS,
    onFailure,
  })
  const service = new ChannelService({ keys, devices, notices, pushes, dialogs, mail, newId, clock })
  const rooms = new ChatRoomRepository(prisma, audit, 'discord')
  const discord = config.discord && new Discord({ config: config.discord, log })
  const chat = discord && createChat({ ...deps, rooms, chat: discord })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(channelRoutes, { service })
    const { accounts } = deps
    await api.register(chatRoutes, { agents: deps.agents.agents, accounts, rooms, chat: discord, clock })
  }
  return {
    routes,
    correspondent: looking.correspondent,
    start: async (): Promise<void> => {
      await keys.load()
      sweeper.start()
      pruner.start()
      await chat?.start()
    },
    end: async (): Promise<void> => {
      await Promise.all([sweeper.stop(), pruner.stop(), deliverer.stop(), chat?.end()])
    },
  }
}
