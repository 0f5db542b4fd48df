import type { Conversation, DiscordAccount } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { BOT_TOKEN } from '@slipway/testing/discord'
import { describe, expect, it } from 'vitest'
import { auditOf } from '../../../test/support/audit.ts'
import { useDiscord } from '../../../test/support/channels/discord.ts'
import { as } from '../../../test/support/people/team.ts'
import { CODE_VALID_MS, GUESSES_EACH } from '../identity/codes.ts'

const { lines, team, newAccount, codeOf, linked, open, begin, asked, discord } = useDiscord()
const texts = async (reply: Promise<{ texts: readonly string[] }>): Promise<string> => (await reply).texts.join('\n')
const link = (user: ReturnType<typeof newAccount>, code: string) =>
  texts(discord().command(discord().channels.add(), user, 'link', { code }))

describe('a code', () => {
  it('links an account once, however it is typed, and a new link replaces the earlier one', async () => {
    const { owner } = team()
    const [first, second] = [newAccount(), newAccount()]
    const code = await codeOf(owner)
    expect(await link(first, ` ${code.toLowerCase().replace('-', ' ')}`)).toContain('is linked')
    expect(await link(second, code)).toContain('wrong')
    const mine = async () => (await as(team(), owner)('GET /users/me/discord')).json<DiscordAccount>()
    expect(await mine()).toMatchObject({ available: true, account: { id: first.id, name: first.username } })
    expect(await link(second, await codeOf(owner))).toContain('is linked')
    expect(await mine()).toMatchObject({ account: { id: second.id } })
    const acts = (await auditOf(team(), team().admin)).filter(({ action }) => action === 'chat.linked')
    expect(acts.slice(0, 2)).toMatchObject([
      { actor: { email: owner.email, via: 'discord' }, detail: { account: second.id } },
      { actor: { email: owner.email, via: 'discord' }, detail: { account: first.id } },
    ])
    expect((await as(team(), owner)('DELETE /users/me/discord')).statusCode).toBe(204)
    expect((await as(team(), owner)('DELETE /users/me/discord')).statusCode).toBe(404)
    expect(await mine()).toMatchObject({ account: null })
  })

  it('is too old after 10 minutes, and an account that guesses has to wait', async () => {
    const code = await codeOf(team().owner)
    team().clock.advance(CODE_VALID_MS)
    const user = newAccount()
    expect(await link(user, code)).toContain('too old')
    for (let guess = 1; guess < GUESSES_EACH; guess += 1) expect(await link(user, 'AAAAA-AAAAA')).toContain('wrong')
    const right = await codeOf(team().owner)
    expect(await link(user, right)).toContain('too many wrong codes')
    expect(await link(newAccount(), right)).toContain('is linked')
  })
})

describe('/code', () => {
  it('begins a conversation in a thread, and the answer and its state are shown there', async () => {
    const { starter, posts, ends, get, thread, agent, user } = await begin('Repair **the** login @everyone')
    expect(starter()).toMatchObject({
      content: `<@${user.id}> asks **${agent.replaceAll('-', String.raw`\-`)}**: Repair \\*\\*the\\*\\* login \\@everyone`,
      allowed_mentions: { parse: [] },
      flags: 4,
    })
    expect(discord().channels.threads.get(thread)).toBe('Repair **the** login @everyone')
    await until('the mark', () => starter().reactions.join() === '⏳')
    await ends({ result: '\u001b[32mDone.\u001b[0m See [this](http://a.example).' })
    await until('the answer', () => posts().length > 0)
    expect(posts().map(({ content, flags }) => [content, flags])).toEqual([['Done. See this (<http://a.example>).', 4]])
    await until('the mark', () => starter().reactions.join() === '✅')
    expect(await get()).toMatchObject({ state: 'active', turns: 1 })
  })

  it('says whether the conversation has a worktree, and whether its turns are validated', async () => {
    const { channel } = await open()
    const user = await linked(team().owner)
    const code = (options: Readonly<Record<string, string | number | boolean>>) =>
      texts(discord().command(channel, user, 'code', { prompt: 'hi', ...options }))
    const threadId = /<#(\d+)>/.exec(await code({ worktree: 'off', repairs: 2 }))?.[1]
    if (threadId === undefined) throw new Error('no thread')
    const { conversationId } = await team().database.prisma.chatThread.findFirstOrThrow({ where: { threadId } })
    const begun = (await as(team(), team().owner)(`GET /conversations/${conversationId}`)).json<Conversation>()
    expect(begun).toMatchObject({ worktree: 'off', validate: true, gate: { repairs: 2 } })
    for (const repairs of [-1, 1.5, 6]) expect(await code({ repairs })).toContain('is not as it must be')
    expect(await code({ worktree: 'sometimes' })).toContain('is not as it must be')
    const metrics = (await as(team(), team().admin)('GET /metrics')).body
    expect(metrics).toMatch(/^slipway_chat_connections_total\{service="discord"\} [1-9]/m)
    expect(metrics).toMatch(/^slipway_chat_threads_total\{service="discord",outcome="done"\} [1-9]/m)
  })

  it('is for linked users with a right in the agent, in channels that its owner chose', async () => {
    const { channel, agent } = await open()
    const code = (user: ReturnType<typeof newAccount>, where = channel, more = {}) =>
      texts(discord().command(where, user, 'code', { prompt: 'hi', ...more }))
    expect(await code(newAccount())).toContain('not linked')
    const stranger = await linked(team().stranger)
    expect(await code(stranger)).toContain('❌')
    const owner = await linked(team().owner)
    expect(await code(owner, discord().channels.add())).toContain('No agent is open in this channel')
    expect(await code(owner, channel, { agent: 'another' })).toContain('No such agent')
    expect(await code(owner, channel, { provider: 'no-such-cli' })).toContain('❌')
    const refused = await as(team(), team().colleague)(`PUT /agents/${agent}/discord`, { channels: [] })
    expect(refused.statusCode).toBe(404)
  })
})

describe('a message in a thread', () => {
  it('is a turn of the linked user, once, and the audit log says that it came from Discord', async () => {
    const { thread, user, ends, queue, posts, id } = await begin()
    const message = discord().say(thread, user, 'and then?')
    await until('the queue', async () => (await queue()).length === 1)
    expect(await queue()).toMatchObject([{ text: 'and then?', via: 'discord', userId: team().owner.id }])
    await until('the mark', () => message.reactions.join() === '⏳')
    await ends({ result: 'First.' })
    await until('the next turn', async () => (await queue()).length === 0)
    await ends({ result: 'Second.' })
    await until('both answers', () => posts().length === 2)
    expect(posts().map(({ content }) => content)).toEqual(['First.', 'Second.'])
    const sent = await team().database.prisma.auditEvent.findMany({
      where: { detail: { path: ['conversationId'], equals: id }, action: { startsWith: 'conversation.' } },
      orderBy: { id: 'asc' },
    })
    expect(sent.map(({ action, via, requestId }) => [action, via, requestId?.split(' ')[0]])).toEqual([
      ['conversation.created', 'discord', 'discord'],
      ['conversation.message_sent', 'discord', 'discord'],
    ])
  })

  it('of an account that is not linked, or of a user without a right, begins nothing', async () => {
    const { thread, queue, posts } = await begin()
    const locked = discord().say(thread, newAccount(), 'let me in')
    await until('the mark', () => locked.reactions.join() === '🔒')
    const stranger = await linked(team().stranger)
    const refused = discord().say(thread, stranger, 'me too')
    await until('the mark', () => refused.reactions.join() === '❌')
    await until('why', () => posts().length === 1)
    expect(await queue()).toEqual([])
  })

  it('that is changed while it waits is changed in the queue, by its own user alone', async () => {
    const { thread, user, queue } = await begin()
    const message = discord().say(thread, user, 'one')
    await until('the queue', async () => (await queue()).length === 1)
    discord().edit(message, 'two')
    await until('the change', async () => (await queue())[0]?.text === 'two')
  })

  it('that is deleted while it waits is withdrawn by its user, also with others at once, and is no turn', async () => {
    const { thread, user, queue, ends, id, prisma } = await begin()
    const [one, two, three] = ['one', 'two', 'three', 'four'].map((text) => discord().say(thread, user, text))
    const texts = async () => (await queue()).map(({ text }) => text).join()
    await until('the queue', async () => (await texts()) === 'one,two,three,four')
    discord().delete(one!)
    await until('the withdrawal', async () => (await texts()) === 'two,three,four')
    discord().delete(two!, three!)
    await until('the withdrawals', async () => (await texts()) === 'four')
    const withdrawn = await prisma.auditEvent.findMany({
      where: { detail: { path: ['conversationId'], equals: id }, action: 'conversation.message_withdrawn' },
      // A reader that began before the deletions may find the later message first.
      orderBy: { requestId: 'asc' },
    })
    expect(withdrawn.map(({ actorEmail, via, requestId }) => [actorEmail, via, requestId])).toEqual(
      [one, two, three].map((message) => [team().owner.email, 'discord', `discord ${message!.id}`]),
    )
    await ends()
    await until('the next turn', async () => (await queue()).length === 0)
    const turns = await prisma.conversationMessage.findMany({ where: { conversationId: id }, orderBy: { seq: 'asc' } })
    expect(turns.map(({ text, state }) => [text, state])).toEqual([
      ['Repair the login.', 'sent'],
      ['four', 'sent'],
    ])
  })

  it('that came while the gateway was away is read, with a resumed session and with a new one', async () => {
    const { thread, user, queue } = await begin()
    const { resumed, begun } = discord().gateway
    discord().gateway.drop({ keep: true })
    discord().say(thread, user, 'while it was away')
    await until('the resume', () => discord().gateway.resumed > resumed)
    await until('the queue', async () => (await queue()).length === 1)
    discord().gateway.drop({ keep: false })
    discord().say(thread, user, 'while there was no session')
    await until('a new session', () => discord().gateway.begun > begun)
    await until('the queue', async () => (await queue()).length === 2)
    expect((await queue()).map(({ text }) => text)).toEqual(['while it was away', 'while there was no session'])
  })
})

describe('a turn', () => {
  it('that fails is told once, with what became of the messages that waited', async () => {
    const { thread, user, queue, ends, posts, starter } = await begin()
    const waiting = discord().say(thread, user, 'and then?')
    await until('the queue', async () => (await queue()).length === 1)
    await ends({ state: 'failed', reason: 'cli_error', error: 'It broke.' })
    await until('the notice', () => posts().length === 1)
    expect(posts()[0]?.content).toBe('❌ It broke. One message that waited was not sent.')
    await until('the marks', () => [starter(), waiting].every(({ reactions }) => reactions.join() === '❌'))
  })

  it('with a long answer is a beginning and a file, although Discord limits the requests', async () => {
    const { ends, posts } = await begin()
    const result = Array.from({ length: 3000 }, (_, index) => `Line ${index}.`).join('\n')
    discord().limits.refuse({ requests: 2, seconds: 0.2 })
    await ends({ result })
    await until('the answer', () => posts().length === 2)
    expect(posts().flatMap(({ files }) => files)).toEqual([{ name: 'answer.md', text: result }])
    expect(posts()[0]?.content.length).toBeLessThanOrEqual(1900)
  })

  it('of a user on the web is quoted before its answer', async () => {
    const { ends, posts, call, id, user } = await begin()
    await ends({ result: 'First.' })
    await call(`POST /conversations/${id}/messages`, { text: 'from the page' })
    await ends({ result: 'Second.' })
    await until('both answers', () => posts().length === 3)
    expect(posts().map(({ content }) => content)).toEqual(['First.', `> <@${user.id}>: from the page`, 'Second.'])
  })
})

describe('a question', () => {
  const approval = {
    ...{ kind: 'approval', tool: 'Bash', command: 'rm -rf /\n@everyone', path: null, input: {}, why: null },
    ...{ tier: 3, reasons: ['It deletes files.'], editable: false },
  }

  it('has buttons, the first answer wins, and the message says who gave it', async () => {
    const { card, user } = await asked()
    const { message, state } = await card(approval)
    expect(message.content).toContain('```\nrm -rf /\n@everyone\n```')
    const stranger = await linked(team().stranger)
    expect(await texts(discord().press(message, newAccount(), 'Allow once'))).toContain('not linked')
    expect(await texts(discord().press(message, stranger, 'Allow once'))).toContain('❌')
    expect(await state()).toMatchObject({ state: 'open' })
    const [first, second] = [discord().press(message, user, 'Deny'), discord().press(message, user, 'Allow once')]
    await Promise.all([first, second])
    await until('the outcome', () => message.content.includes('ed by'))
    const { state: closed, answer } = await state()
    expect(closed).toBe('answered')
    const allowed = (answer as { decision: string }).decision === 'allow'
    expect(message.content).toContain(`${allowed ? '✅ Allowed' : '❌ Denied'} by <@${user.id}>`)
    expect(message.components).toEqual([])
    const entry = (await auditOf(team(), team().admin)).find(({ action }) => action === 'dialog.answered')
    expect(entry).toMatchObject({ actor: { via: 'discord' }, detail: { from: 'discord' } })
  })

  it('is answered by a form: a denial with its reason', async () => {
    const { card, user } = await asked()
    const denied = await card(approval)
    const { form } = await discord().press(denied.message, user, 'Deny with a reason')
    await discord().submit(denied.message.channel_id, user, form!.custom_id, { 0: 'Not on Fridays.' })
    expect(await denied.state()).toMatchObject({ answer: { decision: 'deny', reason: 'Not on Fridays.' } })
  })

  it('with a text that its form cannot take has no form', async () => {
    const { card } = await asked()
    const { message } = await card({ kind: 'editor', prefill: 'x'.repeat(4001) })
    expect(message.components).toEqual([])
    expect(message.content).toMatch(/-# <.*\/questions\/.*>$/)
  })

  it('takes no answer by a button of an earlier version that its message would not have now', async () => {
    const { card, user } = await asked()
    const { message, state } = await card({ ...approval, command: 'x'.repeat(3000) })
    const id = /questions\/([\w-]+)>/.exec(message.content)?.[1]
    message.components = [{ components: [{ label: 'Allow once', custom_id: `answer:${id}:allow` }] }]
    expect(await texts(discord().press(message, user, 'Allow once'))).toContain(`/questions/${id}`)
    expect(await state()).toMatchObject({ state: 'open' })
  })

  it('of a CLI with options has a button for each of them', async () => {
    const { card, user } = await asked()
    const options = ['Red', 'Blue'].map((label) => ({ value: label, label, description: null }))
    const field = { name: 'colour', label: 'Which colour?', description: null, type: 'select', required: true }
    const chosen = await card({ kind: 'form', fields: [{ ...field, options, multiple: false, custom: true }] })
    expect(chosen.message.content).toContain('Which colour?')
    await discord().press(chosen.message, user, 'Blue')
    await until('the outcome', () => chosen.message.content.includes('Blue, answered by'))
    expect(await chosen.state()).toMatchObject({ answer: { value: { colour: 'Blue' } } })
  })
})

describe('a thread', () => {
  it('that is deleted or locked does not stop its conversation', async () => {
    const { thread, channel, ends, get, user } = await begin()
    discord().channels.delete(thread)
    await ends({ result: 'Done.' })
    await until('the end', async () => (await get()).currentRunId === null)
    const { prisma } = team().database
    await until(
      'the thread',
      async () => (await prisma.chatThread.findFirstOrThrow({ where: { threadId: thread } })).goneAt,
    )
    discord().channels.closed.add(channel)
    expect(await texts(discord().command(channel, user, 'code', { prompt: 'hi' }))).toContain('begins in a moment')
    discord().channels.closed.delete(channel)
  })

  it('leaves no secret in the log', () => {
    expect(lines.join('')).not.toContain(BOT_TOKEN)
    expect(lines.join('')).not.toContain('token-')
  })
})
