import { randomUUID } from 'node:crypto'
import type { DiscordAccount } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { BOT_TOKEN, type Discord as Stub } from '@slipway/testing/discord'
import { describe, expect, it, vi } from 'vitest'
import { withBot } from '../../../../test/support/channels/bot.ts'
import { useDiscord } from '../../../../test/support/channels/discord.ts'
import { as } from '../../../../test/support/people/team.ts'
import type { Discord } from '../discord/discord.ts'
import { ChatThreadRepository } from './repository.ts'

const { lines, team, linked, open, begin, asked, discord } = useDiscord()
const texts = async (reply: Promise<{ texts: readonly string[] }>): Promise<string> => (await reply).texts.join('\n')
/** Any news of a conversation leads to a look, which is else due within 8 seconds. */
const look = ({ call, id }: Pick<Awaited<ReturnType<typeof begin>>, 'call' | 'id'>) =>
  call(`PATCH /conversations/${id}`, { title: randomUUID() })
const CONFIRM = { kind: 'confirm' }
/** The session of the bot ends. Something happens before it has a new one. */
const reconnect = async (change: () => void) => {
  const { begun } = discord().gateway
  discord().gateway.drop({ keep: false })
  change()
  await until('a new session', () => discord().gateway.begun > begun)
}

describe('an archived thread', () => {
  it('is opened again for the outcome of a question, and for marks and answers', async () => {
    const { card, thread, call, ends, posts, starter, user, queue } = await asked()
    const { message, id } = await card(CONFIRM)
    const waiting = discord().say(thread, user, 'and then?')
    await until('the mark', () => waiting.reactions.join() === '⏳')
    discord().channels.archived.add(thread)
    await call(`POST /dialogs/${id}/answer`, { value: true })
    await until('the outcome', () => message.content.includes('answered by'))
    expect(discord().channels.archived.has(thread)).toBe(false)
    discord().channels.archived.add(thread)
    await ends({ result: 'Done.' })
    await until('the answer', () => posts().some(({ content }) => content === 'Done.'))
    await until('the next turn', async () => (await queue()).length === 0)
    await until('the mark', () => starter().reactions.join() === '✅')
  })

  it('that is locked keeps its old messages, which stop nothing', async () => {
    const { card, thread, call, prisma, id: conversationId, ends, posts } = await asked()
    const { message, id } = await card(CONFIRM)
    discord().channels.archived.add(thread)
    discord().channels.locked.add(thread)
    await call(`POST /dialogs/${id}/answer`, { value: true })
    const isClosed = async () => (await prisma.chatQuestion.findUniqueOrThrow({ where: { dialogId: id } })).isClosed
    await until('the question', isClosed)
    expect(message.content).not.toContain('answered by')
    discord().channels.locked.delete(thread)
    await ends({ result: 'Done.' })
    await look({ call, id: conversationId })
    await until('the answer', () => posts().some(({ content }) => content === 'Done.'))
  })
})

describe('a channel that is taken away from an agent', () => {
  it('gets nothing more of it, and nothing more is read there, also when it is added again', async () => {
    const { agent, channel, thread, card, call, ends, posts, get, queue, prisma, id, ...rest } = await asked()
    const { message, state } = await card(CONFIRM)
    // It links another account to the owner.
    const other = await begin()
    const { user } = other
    const shown = [posts().length, rest.starter().reactions.join()]
    await call(`PUT /agents/${agent}/discord`, { channels: [] })
    discord().say(thread, user, 'still there?')
    expect(await texts(discord().press(message, user, 'Yes'))).toContain('no use any more')
    expect(await state()).toMatchObject({ state: 'open' })
    await call(`PUT /agents/${agent}/discord`, { channels: [channel] })
    discord().say(thread, user, 'and now?')
    await ends({ result: 'A secret.' })
    await until('the end', async () => (await get()).currentRunId === null)
    // A thread of another channel, which is looked at afterwards, goes on.
    await other.ends({ result: 'Not a secret.' })
    await until('another answer', () => other.posts().length === 1)
    expect([posts().length, rest.starter().reactions.join()]).toEqual(shown)
    expect(await queue()).toEqual([])
    expect(await prisma.chatThread.findUniqueOrThrow({ where: { conversationId: id } })).toMatchObject({
      goneAt: expect.any(Date),
    })
    const again = await texts(discord().command(channel, user, 'code', { prompt: 'hi' }))
    expect(again).toContain('The conversation is in')
  })
})

describe('what is said in a terminal', () => {
  it('is shown in the thread with its user and the answer of the CLI', async () => {
    const { ends, posts, prisma, id, user, call } = await begin()
    await ends({ result: 'First.' })
    await until('the answer', () => posts().length === 1)
    const of = { conversationId: id, userId: team().owner.id, via: 'user', viaId: team().owner.id }
    const said = { ...of, state: 'terminal', createdAt: new Date() }
    await prisma.conversationMessage.createMany({
      data: [
        { ...said, id: randomUUID(), seq: 2, text: 'Look **again**.', answer: 'See [this](http://a.example).' },
        { ...said, id: randomUUID(), seq: 3, text: 'And?', answer: null },
      ],
    })
    await look({ call, id })
    await until('the words', () => posts().length === 4)
    expect(posts().map(({ content }) => content)).toEqual([
      'First.',
      String.raw`> 💻 <@${user.id}>, in a terminal: Look \*\*again\*\*.`,
      'See this (<http://a.example>).',
      `> 💻 <@${user.id}>, in a terminal: And?`,
    ])
  })
})

describe('a message that waits', () => {
  it('and is changed while the bot is away is changed in the queue, but not back after a change on the page', async () => {
    const { thread, user, queue, call, id } = await begin()
    const [message, other] = [discord().say(thread, user, 'one'), discord().say(thread, user, 'another')]
    await until('the queue', async () => (await queue()).length === 2)
    await reconnect(() => discord().channels.edit(thread, message.id, { content: 'two' }))
    await until('the change', async () => (await queue())[0]?.text === 'two')
    const [first] = await queue()
    await call(`PATCH /conversations/${id}/queue/${first!.id}`, { text: 'three' })
    await reconnect(() => discord().channels.edit(thread, other.id, { content: 'the last' }))
    await until('the change', async () => (await queue())[1]?.text === 'the last')
    expect((await queue()).map(({ text }) => text)).toEqual(['three', 'the last'])
  })

  it('and is deleted while the bot is away is withdrawn when it is back', async () => {
    const { thread, user, queue } = await begin()
    const deleted = ['one', 'another'].map((text) => discord().say(thread, user, text))[0]!
    await until('the queue', async () => (await queue()).length === 2)
    await reconnect(() => discord().channels.remove(thread, deleted.id))
    await until('the withdrawal', async () => (await queue()).length === 1)
    expect((await queue()).map(({ text }) => text)).toEqual(['another'])
  })

  it('and for which Discord answers no message is not withdrawn', async () => {
    const { thread, user, queue } = await begin()
    const [malformed, deleted] = ['one', 'another'].map((text) => discord().say(thread, user, text))
    await until('the queue', async () => (await queue()).length === 2)
    discord().channels.malformed.add(malformed!.id)
    // It is looked at before the deleted one, which is behind it.
    discord().delete(deleted!)
    await until('the withdrawal', async () => (await queue()).every(({ text }) => text !== 'another'))
    expect((await queue()).map(({ text }) => text)).toEqual(['one'])
  })
})

describe('/code', () => {
  it('that is killed begins a conversation with its thread, or none', async () => {
    const { channel, agent } = await open()
    const user = await linked(team().owner)
    const code = () => texts(discord().command(channel, user, 'code', { prompt: 'hi' }))
    const count = () => team().database.prisma.conversation.count({ where: { agentName: agent } })
    const killed = vi.spyOn(ChatThreadRepository.prototype, 'create').mockRejectedValueOnce(new Error('killed'))
    expect(await code()).toContain('could not do this')
    expect([killed.mock.calls.length, await count()]).toEqual([1, 0])
    killed.mockRestore()
    // Killed before Discord has made the thread: a later look makes it.
    discord().channels.closed.add(channel)
    expect(await code()).toContain('begins in a moment')
    discord().channels.closed.delete(channel)
    const { prisma } = team().database
    const { id } = await prisma.conversation.findFirstOrThrow({ where: { agentName: agent } })
    await look({ call: as(team(), team().owner), id })
    const threadOf = async () => (await prisma.chatThread.findUniqueOrThrow({ where: { conversationId: id } })).threadId
    const thread = await until('the thread', threadOf)
    expect(discord().channels.message(channel, thread).content).toContain('asks')
  })
})

describe('a thread that the bot may not read', () => {
  it('is tried again, and the log says it once', async () => {
    const { thread, user, queue, call, id } = await begin()
    discord().channels.hidden.add(thread)
    const warnings = () => lines.filter((line) => line.includes(id) && line.includes('is tried again')).length
    discord().gateway.dispatch('MESSAGE_CREATE', { channel_id: thread })
    await until('the warning', () => warnings() === 1)
    const tried = () => discord().requests.filter(({ path }) => path === `/channels/${thread}/messages`).length
    const before = tried()
    await look({ call, id })
    await until('another attempt', () => tried() > before)
    discord().channels.hidden.delete(thread)
    discord().say(thread, user, 'and then?')
    await until('the queue', async () => (await queue()).length === 1)
    expect(warnings()).toBe(1)
  })
})

describe('a bot', () => {
  it('whose token is refused says so once', async () => {
    await withBot(`${BOT_TOKEN}x`, async (bot, _own, errors) => {
      await until('the refusal', () => bot.refusal === 'token')
      expect(errors).toEqual([expect.stringContaining('set SLIPWAY_DISCORD_TOKEN')])
    })
  })

  it('whose intents are refused says so once, and connects when they are allowed', async () => {
    await withBot(BOT_TOKEN, async (bot, own, errors) => {
      await until('the connection', () => bot.isConnected)
      own.gateway.refusesIntents = true
      const { refused } = own.gateway
      own.gateway.drop({ keep: false })
      await until('three refusals', () => own.gateway.refused - refused >= 3)
      expect([bot.refusal, bot.isConnected]).toEqual(['intents', false])
      expect(errors).toEqual([expect.stringContaining('Message Content Intent')])
      own.gateway.refusesIntents = false
      await until('the connection', () => bot.isConnected)
      expect(bot.refusal).toBeNull()
    })
  })

  /** Posts in several channels at once, in each one after the other. Answers what is there, by channel. */
  const posted = async (bot: Discord, own: Stub, texts: readonly string[]): Promise<string[][]> => {
    const channels = Array.from({ length: 3 }, () => own.channels.add())
    const fill = async (channel: string): Promise<void> => {
      for (const content of texts) await bot.post(channel, { content }, `${channel.slice(-12)}-${content}`)
    }
    await Promise.all(channels.map(fill))
    return channels.map((channel) => own.channels.in(channel).map(({ content }) => content))
  }
  const TEXTS = ['one', 'two', 'three', 'four', 'five']
  /** A second request for the same message would not be seen in the channel: its nonce makes it the same. */
  const accepted = ({ requests, limits }: Stub): number => {
    const isPost = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path.endsWith('/messages')
    return requests.filter(isPost).length - limits.refused.filter(isPost).length
  }

  it('keeps to the limit of each route and channel, so that nothing is refused', async () => {
    await withBot(BOT_TOKEN, async (bot, own) => {
      await until('the commands', () => own.commands.length > 0)
      own.limits.bucket = { requests: 2, seconds: 0.2 }
      expect(await posted(bot, own, TEXTS)).toEqual([TEXTS, TEXTS, TEXTS])
      expect([own.limits.refused, accepted(own)]).toEqual([[], 15])
    })
  })

  it('that goes over the limit of all routes waits with each of them, and loses and repeats nothing', async () => {
    await withBot(BOT_TOKEN, async (bot, own) => {
      await until('the commands', () => own.commands.length > 0)
      own.limits.exceedGlobally(0.2)
      expect(await posted(bot, own, TEXTS)).toEqual([TEXTS, TEXTS, TEXTS])
      expect(accepted(own)).toBe(15)
      const { refused } = own.limits
      expect(new Set(refused.map(({ scope }) => scope))).toEqual(new Set(['global']))
      // Those that were on their way, once each: none of them came again before its time.
      expect(new Set(refused.map(({ path }) => path)).size).toBe(refused.length)
    })
  })

  it('that is refused is not available, and the metrics say so', async () => {
    const owner = as(team(), team().owner)
    const account = async () => (await owner('GET /users/me/discord')).json<DiscordAccount>()
    const metrics = async () => (await as(team(), team().admin)('GET /metrics')).body
    expect(await account()).toMatchObject({ available: true, refusal: null })
    expect(await metrics()).toMatch(/^slipway_chat_connected\{service="discord"\} 1$/m)
    discord().gateway.refusesIntents = true
    discord().gateway.drop({ keep: false })
    await until('the refusal', async () => (await account()).refusal === 'intents')
    expect(await account()).toMatchObject({ available: false })
    expect(await metrics()).toMatch(/^slipway_chat_connected\{service="discord"\} 0$/m)
  })
})
