/** A server with a bot in a Discord of the test. */
import { randomUUID } from 'node:crypto'
import type { Conversation, ConversationMessage, DiscordCode } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { BOT_TOKEN, type Discord, type Message, startDiscord, type User } from '@slipway/testing/discord'
import { afterAll, beforeAll } from 'vitest'
import { MemoryEngine } from '../engine/memory-engine.ts'
import type { Person } from '../people.ts'
import { as, newAgent, useTeam } from '../team.ts'

export const useDiscord = () => {
  const lines: string[] = []
  let discord: Discord
  beforeAll(async () => {
    discord = await startDiscord()
  })
  const team = useTeam({
    runtime: new MemoryEngine().runtime,
    logStream: { write: (line) => void lines.push(line) },
    config: {
      // Its port is known when the server boots.
      get discord() {
        return { token: BOT_TOKEN, api: discord.api }
      },
    },
  })
  beforeAll(() => until('the bot', () => discord.commands.length > 0))
  afterAll(() => discord.close())

  const newAccount = (): User => ({ id: discord.channels.newId(), username: `u${randomUUID().slice(0, 8)}` })
  const codeOf = async (person: Person): Promise<string> =>
    (await as(team(), person)('POST /users/me/discord/code')).json<DiscordCode>().code
  /** An account that is linked to a user. An earlier one of theirs is linked no more. */
  const linked = async (person: Person): Promise<User> => {
    const user = newAccount()
    const { texts } = await discord.command(discord.channels.add(), user, 'link', { code: await codeOf(person) })
    if (!texts[0]?.startsWith('Your account is linked')) throw new Error(texts.join('\n'))
    return user
  }
  /** A stopped agent of the owner, where turns wait in line, and a channel of it. */
  const open = async () => {
    const owner = as(team(), team().owner)
    const agent = `a-${randomUUID().slice(0, 13)}`
    const channel = discord.channels.add()
    await owner('POST /agents?wait=true', newAgent(agent))
    await owner(`POST /agents/${agent}/stop?wait=true`)
    await owner(`PUT /agents/${agent}/discord`, { channels: [channel] })
    return { agent, channel }
  }
  /** A conversation that the owner began in a channel, with its thread. */
  const begin = async (prompt = 'Repair the login.') => {
    const { agent, channel } = await open()
    const user = await linked(team().owner)
    const { texts } = await discord.command(channel, user, 'code', { prompt })
    const thread = /<#(\d+)>/.exec(texts[0] ?? '')?.[1]
    if (thread === undefined) throw new Error(texts.join('\n'))
    const { prisma } = team().database
    const { conversationId: id } = await prisma.chatThread.findFirstOrThrow({ where: { threadId: thread } })
    const call = as(team(), team().owner)
    const get = async () => (await call(`GET /conversations/${id}`)).json<Conversation>()
    const queue = async () => (await call(`GET /conversations/${id}/queue`)).json<ConversationMessage[]>()
    const posts = (): Message[] => discord.channels.in(thread).filter(({ author }) => author.bot)
    const starter = (): Message => discord.channels.message(channel, thread)
    /** The turn that waits ends like this. */
    const ends = async (end: { state?: string; reason?: string; result?: string; error?: string } = {}) => {
      const currentRunId = await until(
        'the turn',
        async () => (await prisma.conversation.findUniqueOrThrow({ where: { id } })).currentRunId,
      )
      const done = { state: 'completed', reason: 'completed', lastSeq: 3, endedAt: new Date(), continuesAt: null }
      await prisma.codingRun.update({ where: { id: currentRunId }, data: { ...done, ...end } })
    }
    return { ...{ agent, channel, user, thread, id, prisma, call, get, queue, posts, starter, ends } }
  }
  return { ...{ lines, team, newAccount, codeOf, linked, open, begin }, discord: () => discord }
}
