/** A server with a bot in a Discord of the test. */
import { randomUUID } from 'node:crypto'
import type { Conversation, ConversationMessage, DiscordCode } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { BOT_TOKEN, type Discord, type Message, startDiscord, type User } from '@slipway/testing/discord'
import { afterAll, beforeAll } from 'vitest'
import { MemoryEngine } from '../engine/memory-engine.ts'
import type { Person } from '../people/people.ts'
import { as, newAgent, useTeam } from '../people/team.ts'

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
  /** A conversation whose turn asks: `card` asks a question, and answers its message and its row. */
  const asked = async () => {
    const begun = await begin()
    const { prisma, id, posts, call } = begun
    const { currentRunId } = await prisma.conversation.findUniqueOrThrow({ where: { id } })
    const run = await prisma.codingRun.findUniqueOrThrow({ where: { id: currentRunId! } })
    const card = async (question: object) => {
      const before = posts().length
      const { agentId, agentName, userId, id: runId } = run
      const of = { id: randomUUID(), agentId, agentName, userId, runId, requestId: randomUUID(), personal: false }
      await prisma.dialog.create({ data: { ...of, title: 'Sure?', question, state: 'open' } })
      // Any news of the conversation leads to a look, which is else due within 8 seconds.
      await call(`PATCH /conversations/${id}`, { title: of.id })
      const message = await until('the question', () => posts()[before])
      const state = () => prisma.dialog.findUniqueOrThrow({ where: { id: of.id } })
      return { message, state, id: of.id }
    }
    return { ...begun, card }
  }
  return { ...{ lines, team, newAccount, codeOf, linked, open, begin, asked }, discord: () => discord }
}
