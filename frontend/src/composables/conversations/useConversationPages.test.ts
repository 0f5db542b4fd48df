// @vitest-environment happy-dom
import type { Conversation, Conversations } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { effectScope, type EffectScope, nextTick, shallowRef } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { readConversations } from '@/api/tasks/conversations.ts'
import { ApiError } from '@/api/transport/errors.ts'
import type { ConversationFilters } from '@/lib/conversations/pages.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useConversationsStore } from '@/stores/tasks/conversations.ts'
import { useConversationPages } from './useConversationPages.ts'

vi.mock('@/api/tasks/conversations.ts')

const one = (id: string, at: number, more: Partial<Conversation> = {}): Conversation =>
  ({
    ...{ id, title: id, userId: 'u2', state: 'active', ...more },
    lastActivityAt: new Date(Date.UTC(2026, 10, at)).toISOString(),
  }) as Conversation
const page = (nextCursor: string | null, ...items: Conversation[]): Conversations => ({ items, nextCursor })

const filters = shallowRef<ConversationFilters | null>(null)
let scope: EffectScope
const follow = () => scope.run(() => useConversationPages(filters))!
const titles = ({ items }: ReturnType<typeof useConversationPages>) => items.value?.map(({ title }) => title)
const tell = (conversation: Conversation): void =>
  useConversationsStore().apply({ type: 'conversation:changed', conversation })

beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
  filters.value = { by: 'all' }
  vi.mocked(readConversations).mockReset()
})
afterEach(() => scope.stop())

it('the conversations of a list are read page by page, and events keep them up to date', async () => {
  vi.mocked(readConversations).mockResolvedValueOnce(page('2', one('c', 3), one('b', 2)))
  const of = follow()
  await vi.waitFor(() => expect(titles(of)).toEqual(['c', 'b']), PATIENTLY)
  tell(one('d', 4))
  tell(one('c', 5, { state: 'archived' }))
  expect([titles(of), of.hasMore.value]).toEqual([['d', 'b'], true])
  vi.mocked(readConversations).mockResolvedValueOnce(page(null, one('a', 1)))
  await of.more()
  expect(readConversations).toHaveBeenLastCalledWith({ by: 'all' }, '2')
  expect([titles(of), of.hasMore.value]).toEqual([['d', 'b', 'a'], false])
})

it('an event during a request is newer than its response, and other filters begin anew', async () => {
  const { promise, resolve } = Promise.withResolvers<Conversations>()
  vi.mocked(readConversations).mockReturnValueOnce(promise)
  const of = follow()
  tell(one('b', 4, { title: 'b, now' }))
  tell(one('a', 5, { state: 'archived' }))
  resolve(page(null, one('b', 2), one('a', 1)))
  await vi.waitFor(() => expect(titles(of)).toEqual(['b, now']), PATIENTLY)
  vi.mocked(readConversations).mockRejectedValueOnce(new ApiError(503, 'SERVER_STOPPING', 'No answer.'))
  filters.value = { archived: 'true' }
  await nextTick()
  expect(of.items.value).toBeNull()
  await vi.waitFor(() => expect(of.error.value).toBe('No answer.'), PATIENTLY)
  filters.value = null
  await nextTick()
  expect([of.items.value, of.error.value]).toEqual([null, null])
  expect(readConversations).toHaveBeenCalledTimes(2)
})

it('the conversations of a list are read again after each gap in the events, however short', async () => {
  vi.mocked(readConversations).mockResolvedValueOnce(page(null, one('a', 1)))
  const of = follow()
  await vi.waitFor(() => expect(titles(of)).toEqual(['a']), PATIENTLY)
  vi.mocked(readConversations).mockResolvedValueOnce(page(null, one('b', 2), one('a', 1)))
  for (const online of [false, true]) {
    useAgentsStore().online = online
    await nextTick()
  }
  await vi.waitFor(() => expect(titles(of)).toEqual(['b', 'a']), PATIENTLY)
})
