/** `/api/users/me/discord`, the account of a user; and `/discord` below an agent, its channels. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DiscordAccount, DiscordChannels, DiscordCode } from '@slipway/protocol'
import Type from 'typebox'
import type { Clock } from '../../../lib/time/clock.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { AgentService } from '../../agents/service.ts'
import { actorOf } from '../../identity/caller.ts'
import type { ChatAccountService } from '../../identity/chat-accounts/service.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import type { ChatService } from './port.ts'
import type { ChatRoomRepository } from './rooms-repository.ts'

interface Parts {
  readonly agents: Pick<AgentService, 'require'>
  readonly accounts: ChatAccountService
  readonly rooms: ChatRoomRepository
  /** Null: the server has no bot. */
  readonly chat: Pick<ChatService, 'refusal'> | null
  readonly clock: Clock
}

const SERVICE = 'discord'
const PATH = '/users/me/discord'

export const chatRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  const { agents, accounts, rooms, chat, clock } = parts
  const config = { action: 'account.channels' } as const
  const tags = ['notifications']

  app.get(
    PATH,
    { config, schema: { tags, summary: 'My Discord account', response: { 200: DiscordAccount } } },
    async (request) => {
      const row = await accounts.of(requireCaller(request), SERVICE)
      const account = row && { id: row.accountId, name: row.name, linkedAt: row.createdAt.toISOString() }
      const refusal = chat?.refusal ?? null
      return { available: chat !== null && refusal === null, refusal, account }
    },
  )

  app.post(
    `${PATH}/code`,
    {
      config,
      schema: {
        tags,
        summary: 'Make a code to link a Discord account',
        description:
          'Enter it with `/link` in Discord within 10 minutes. It links one account, once, and replaces an earlier code and an earlier link.',
        response: { 201: DiscordCode },
      },
    },
    async (request, reply) => {
      const { code, expiresAt } = await accounts.createCode(requireCaller(request), SERVICE)
      return reply.code(201).send({ code, expiresAt: expiresAt.toISOString() })
    },
  )

  app.delete(
    PATH,
    {
      config,
      schema: {
        tags,
        summary: 'Unlink my Discord account',
        description: 'Messages of the account that wait are refused. A turn that runs goes on.',
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await accounts.unlink(requireCaller(request), SERVICE)
      return reply.code(204).send(null)
    },
  )

  const byName = { params: Type.Object({ name: Type.String({ maxLength: 100 }) }), tags: ['agents'] }

  app.get(
    '/agents/:name/discord',
    {
      config: { action: 'agent.view' },
      schema: { ...byName, summary: 'Its channels in Discord', response: { 200: DiscordChannels } },
    },
    async (request) => {
      const { row } = await agents.require(requireCaller(request), request.params.name, 'agent.view')
      return { channels: await rooms.of(row.id) }
    },
  )

  app.put(
    '/agents/:name/discord',
    {
      config: { action: 'agent.share' },
      schema: {
        ...byName,
        summary: 'Choose its channels in Discord',
        description:
          'In these channels, linked users who may use the agent begin conversations with it. All who read a channel read them. The rights of users stay as they are. The threads of a channel that is taken away are neither read nor written to any more. Their conversations go on without them.',
        body: DiscordChannels,
        response: { 200: DiscordChannels },
      },
    },
    async (request) => {
      const { row, caller } = await agents.require(requireCaller(request), request.params.name, 'agent.share')
      const channels = request.body.channels.toSorted()
      const entry = {
        actor: actorOf(caller),
        action: 'discord.channels_set',
        ...agentEvent(row, { channels }),
      } as const
      await rooms.set(row.id, channels, new Date(clock.now()), entry)
      return { channels }
    },
  )
}
