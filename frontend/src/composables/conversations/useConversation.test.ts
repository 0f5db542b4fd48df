// @vitest-environment happy-dom
import type { Conversation, ConversationMessage, ConversationTurns } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { effectScope, type EffectScope, nextTick } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { listQueue, listTurns, readConversation } from '@/api/tasks/conversations.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useConversationsStore } from '@/stores/tasks/conversations.ts'
import { useConversation } from './useConversation.ts'

vi.mock('@/api/tasks/conversations.ts')

const one = (title: string): Conversation => ({ id: 'c', userId: 'me', title }) as Conversation
const page = (seqs: readonly number[], before: number | null = null): ConversationTurns => ({
  items: seqs.map((seq) => ({ message: { id: `m${seq}`, seq } as ConversationMessage, run: null })),
  before,
})
const seqsOf = (turns: ReturnType<typeof useConversation>['turns']): unknown[] | undefined =>
  turns.value?.map(({ message }) => message.seq)

let scope: EffectScope
const follow = () => scope.run(() => useConversation('c'))!
beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
  vi.mocked(readConversation).mockResolvedValue(one('first'))
  vi.mocked(listTurns).mockResolvedValue(page([3, 4], 3))
  vi.mocked(listQueue).mockResolvedValue([])
})
afterEach(() => scope.stop())

describe('a conversation that a page shows', () => {
  it('is read again after an event, once for all that come during a request, and the event is newer', async () => {
    const { conversation, turns } = follow()
    await vi.waitFor(() => expect(seqsOf(turns)).toEqual([3, 4]), PATIENTLY)
    expect(conversation.value?.title).toBe('first')

    const { promise, resolve } = Promise.withResolvers<Conversation>()
    vi.mocked(readConversation).mockReturnValueOnce(promise).mockResolvedValue(one('third'))
    vi.mocked(listTurns).mockResolvedValue(page([3, 4, 5], 3))
    const store = useConversationsStore()
    for (const title of ['first', 'second', 'third'])
      store.apply({ type: 'conversation:changed', conversation: one(title) })
    resolve(one('second'))
    await vi.waitFor(() => expect(seqsOf(turns)).toEqual([3, 4, 5]), PATIENTLY)
    expect(conversation.value?.title).toBe('third')
    await vi.waitFor(() => expect(readConversation).toHaveBeenCalledTimes(3), PATIENTLY)
  })

  it('is read again after each gap in the events, however short', async () => {
    const { turns } = follow()
    await vi.waitFor(() => expect(seqsOf(turns)).toEqual([3, 4]), PATIENTLY)
    vi.mocked(listTurns).mockResolvedValue(page([3, 4, 5], 3))
    for (const online of [false, true]) {
      useAgentsStore().online = online
      await nextTick()
    }
    await vi.waitFor(() => expect(seqsOf(turns)).toEqual([3, 4, 5]), PATIENTLY)
  })

  it('has earlier turns when the reader wants them', async () => {
    const { turns, hasEarlier, loadEarlier } = follow()
    await vi.waitFor(() => expect(hasEarlier.value).toBe(true), PATIENTLY)
    vi.mocked(listTurns).mockResolvedValue(page([1, 2]))
    await loadEarlier()
    expect(listTurns).toHaveBeenLastCalledWith('c', 3)
    expect([seqsOf(turns), hasEarlier.value]).toEqual([[1, 2, 3, 4], false])
  })

  it('is missing for a user without access, and can be asked for again after another failure', async () => {
    vi.mocked(readConversation).mockRejectedValueOnce(new ApiError(503, 'SERVER_STOPPING', 'The server is stopping.'))
    const { error, isMissing, conversation, refresh } = follow()
    await vi.waitFor(() => expect(error.value).toBe('The server is stopping.'), PATIENTLY)
    expect(isMissing.value).toBe(false)
    await refresh()
    expect([conversation.value?.title, error.value]).toEqual(['first', null])
    vi.mocked(readConversation).mockRejectedValue(new ApiError(404, 'NOT_FOUND', 'Not found.'))
    await refresh()
    expect(isMissing.value).toBe(true)
  })

  it('is missing once it is deleted', async () => {
    const { isMissing, conversation } = follow()
    await vi.waitFor(() => expect(conversation.value).not.toBeNull(), PATIENTLY)
    useConversationsStore().apply({ type: 'conversation:removed', conversationId: 'c' })
    expect(isMissing.value).toBe(true)
  })
})
