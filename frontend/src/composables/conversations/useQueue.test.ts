import type { ConversationMessage } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'
import { updateQueued } from '@/api/tasks/conversations.ts'
import { useQueue } from './useQueue.ts'

vi.mock('@nuxt/ui/composables', () => ({ useToast: () => ({ add: vi.fn() }) }))
vi.mock('@/api/tasks/conversations.ts', () => ({ updateQueued: vi.fn(), withdrawQueued: vi.fn() }))

const one = { id: 'one', text: 'Fix it.' } as ConversationMessage
const two = { id: 'two', text: 'Test it.' } as ConversationMessage

beforeEach(() => {
  vi.resetAllMocks()
  setActivePinia(createPinia())
})
/** A queue with two messages. `take` lets the turn of the first one begin. */
const setUp = (conversationId: string = crypto.randomUUID()) => {
  const messages = shallowRef([one, two])
  const overtaken = vi.fn<(id: string, text: string) => void>()
  const refresh = vi.fn(() => Promise.resolve())
  const scope = effectScope()
  const queue = scope.run(() => useQueue({ conversationId, messages: () => messages.value, refresh, overtaken }))!
  const take = async (): Promise<void> => {
    messages.value = [two]
    await nextTick()
  }
  return { queue, overtaken, refresh, take, messages, leave: () => scope.stop() }
}
/** A request that ends once the test says so. */
const request = () => {
  const answer = Promise.withResolvers<ConversationMessage[]>()
  vi.mocked(updateQueued).mockReturnValueOnce(answer.promise)
  return answer
}

it('hands over the text of a message that leaves the queue while it is changed', async () => {
  const { queue, overtaken, take } = setUp()
  queue.write(one, one.text)
  queue.write(one, 'Fix that, too.')
  queue.write(two, 'Test all.')
  await take()
  expect(overtaken).toHaveBeenCalledExactlyOnceWith('one', 'Fix that, too.')
  expect([queue.draftOf(one), queue.draftOf(two)]).toEqual([null, 'Test all.'])
})

it.each([
  ['unchanged', one.text],
  ['empty', '  '],
  ['given up', null],
])('hands over no text that is %s', async (_what, text) => {
  const { queue, overtaken, take } = setUp()
  queue.write(one, one.text)
  queue.write(one, text)
  await take()
  expect(overtaken).not.toHaveBeenCalled()
})

it('hands over no text with which the turn has begun', async () => {
  const { queue, overtaken, take } = setUp()
  queue.write(one, one.text)
  queue.write(one, 'Fix that, too.')
  const answer = request()
  const saved = queue.save(one)
  await take()
  answer.resolve([])
  await saved
  expect(updateQueued).toHaveBeenCalledExactlyOnceWith(expect.any(String), 'one', { text: 'Fix that, too.' })
  expect([overtaken.mock.calls, queue.draftOf(one)]).toEqual([[], null])
})

it('hands over no text that was stored, although the answer was lost', async () => {
  const { queue, overtaken, refresh, take, messages } = setUp()
  queue.write(one, one.text)
  queue.write(one, 'Fix that, too.')
  vi.mocked(updateQueued).mockRejectedValueOnce(new Error('the network'))
  refresh.mockImplementationOnce(async () => void (messages.value = [{ ...one, text: 'Fix that, too.' }, two]))
  await queue.save(one)
  expect(queue.draftOf(one)).toBe('Fix that, too.')
  await take()
  expect(overtaken).not.toHaveBeenCalled()
})

it('hands over a text that came too late for its turn', async () => {
  const { queue, overtaken, refresh, take } = setUp()
  queue.write(one, one.text)
  queue.write(one, 'Fix that, too.')
  const answer = request()
  refresh.mockImplementationOnce(take)
  const saved = queue.save(one)
  answer.reject(new Error('It does not wait any more.'))
  await saved
  expect(overtaken).toHaveBeenCalledExactlyOnceWith('one', 'Fix that, too.')
})

it('keeps what is typed while a text is saved', async () => {
  const { queue, overtaken, take } = setUp()
  queue.write(one, one.text)
  queue.write(one, 'Fix that, too.')
  const answer = request()
  const saved = queue.save(one)
  queue.write(one, 'Fix that, too. And this.')
  answer.resolve([])
  await saved
  expect(queue.draftOf(one)).toBe('Fix that, too. And this.')
  await take()
  expect(overtaken).toHaveBeenCalledExactlyOnceWith('one', 'Fix that, too. And this.')
})

it('keeps the text that is being written while the user looks at another conversation', async () => {
  const id = crypto.randomUUID()
  const first = setUp(id)
  first.queue.write(one, one.text)
  first.queue.write(one, 'Fix that, too.')
  first.leave()
  expect(setUp().queue.draftOf(one)).toBeNull()
  const again = setUp(id)
  expect(again.queue.draftOf(one)).toBe('Fix that, too.')
  await again.take()
  expect(again.overtaken).toHaveBeenCalledExactlyOnceWith('one', 'Fix that, too.')
})
