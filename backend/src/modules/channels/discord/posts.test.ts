import { until } from '@slipway/testing'
import { BOT_TOKEN } from '@slipway/testing/discord'
import { describe, expect, it } from 'vitest'
import { withBot } from '../../../../test/support/channels/bot.ts'
import { ChatError } from '../chat/port.ts'
import { snowflakeAt } from './incoming.ts'
import { Posts, POSTS_REMEMBERED_MAX } from './posts.ts'

/** A bot, a channel, and an outage in which it posts with a key and is not answered. */
const setUp = (
  act: (of: {
    post: (content: string, key: string) => Promise<string>
    postInOutage: (outage: 'unheard' | 'unanswered', content: string, key: string) => Promise<void>
    say: (content: string) => string
    shown: () => string[]
  }) => Promise<void>,
): Promise<void> =>
  withBot(BOT_TOKEN, async (bot, own) => {
    await until('the commands', () => own.commands.length > 0)
    const channel = own.channels.add()
    const user = { id: own.channels.newId(), username: 'ada' }
    const post = (content: string, key: string) => bot.post(channel, { content }, key)
    await act({
      post,
      postInOutage: async (outage, content, key) => {
        own.faults.outage = outage
        await expect(post(content, key)).rejects.toMatchObject({ fault: 'unreachable' })
        own.faults.outage = null
        own.channels.forgetNonces()
      },
      say: (content) => own.say(channel, user, content).id,
      shown: () => own.channels.in(channel).map(({ id }) => id),
    })
  })

describe('a post', () => {
  it('that Discord took without an answer is not posted again after Discord has forgotten its nonce', async () => {
    await setUp(async ({ post, postInOutage, say, shown }) => {
      const earlier = await post('Done.', 'first')
      const ofUser = say('Done.')
      await postInOutage('unanswered', ' Done.\n', 'second')
      const [, , taken] = shown()
      expect(await post(' Done.\n', 'second')).toBe(taken)
      expect(await post(' Done.\n', 'second')).toBe(taken)
      const next = await post('Done.', 'third')
      expect(shown()).toEqual([earlier, ofUser, taken, next])
    })
  })

  it('that Discord did not take is posted, although equal messages of the bot and of a user are there', async () => {
    await setUp(async ({ post, postInOutage, say, shown }) => {
      const earlier = await post('Done.', 'first')
      await postInOutage('unheard', 'Done.', 'second')
      const ofUser = say('Done.')
      const ids = [await post('Done.', 'second')]
      expect(shown()).toEqual([earlier, ofUser, ...ids])
    })
  })

  it('of an answer in several messages is not posted again when a later one of them failed', async () => {
    await setUp(async ({ post, postInOutage, shown }) => {
      const first = await post('The beginning.', 'answer-0')
      await postInOutage('unheard', 'The end.', 'answer-1')
      expect(await post('The beginning.', 'answer-0')).toBe(first)
      const second = await post('The end.', 'answer-1')
      expect(shown()).toEqual([first, second])
    })
  })

  it('with the text of another one that is under way at the same place is a message of its own', async () => {
    await setUp(async ({ post, postInOutage, shown }) => {
      await postInOutage('unheard', 'Done.', 'first')
      const ids = await Promise.all([post('Done.', 'second'), post('Done.', 'first'), post('Done.', 'third')])
      expect([new Set(ids).size, shown()]).toEqual([3, ids])
    })
  })

  it.each([-300_000, 300_000])('is found with a clock of this server that is off by %i ms', async (aheadMs) => {
    const at = (time: number) => snowflakeAt(time + aheadMs)
    const taken: object[] = []
    let isAnswered = true
    const rest = {
      get: (_path: string, { query }: { query: URLSearchParams }) =>
        taken.filter((one) => BigInt((one as { id: string }).id) > BigInt(query.get('after') ?? 0)),
      post: (_path: string, { body }: { body: { content: string } }) => {
        const id = at(Date.now() + taken.length)
        taken.push({
          ...{ id, channel_id: '1', content: body.content, type: 0 },
          author: { id: '1'.repeat(17), bot: true },
        })
        if (isAnswered) return { id }
        throw new ChatError('unreachable', 0, 'no answer')
      },
    }
    const posts = new Posts({ call: async (act) => act(rest as never), botId: () => '1'.repeat(17) })
    const post = (key: string) => posts.post('1', { content: 'Done.' }, key)
    await post('first')
    isAnswered = false
    await expect(post('second')).rejects.toMatchObject({ fault: 'unreachable' })
    isAnswered = true
    await post('second')
    expect(taken).toHaveLength(2)
  })

  it('is remembered for a bounded number of posts', async () => {
    let calls = 0
    const call = () => Promise.resolve({ id: String((calls += 1) + 10 ** 15) })
    const posts = new Posts({ call, botId: () => '1' })
    const post = (key: number) => posts.post('1', { content: 'Done.' }, String(key))
    for (let key = 0; key < POSTS_REMEMBERED_MAX; key += 1) await post(key)
    await post(0)
    expect(calls).toBe(POSTS_REMEMBERED_MAX)
    await post(POSTS_REMEMBERED_MAX)
    await post(0)
    expect(calls).toBe(POSTS_REMEMBERED_MAX + 2)
  })
})
