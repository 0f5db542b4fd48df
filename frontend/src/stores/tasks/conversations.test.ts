import type { Conversation } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { listConversations } from '@/api/tasks/conversations.ts'
import { useAuthStore } from '../identity/auth.ts'
import { useConversationsStore } from './conversations.ts'

vi.mock('@/api/tasks/conversations.ts')

const ME = 'u1'
const one = (id: string, fields: Partial<Conversation> = {}): Conversation => ({
  ...{ id, title: id, agent: 'atlas', provider: 'claude-code', displayName: 'Claude Code', cwd: '/home/developer' },
  ...{
    model: null,
    policy: null,
    worktree: null,
    validate: false,
    gate: null,
    state: 'active',
    activity: 'idle',
    waitsFor: null,
    currentRunId: null,
    currentRunUserId: null,
  },
  ...{
    lastRunId: null,
    resumeRunId: null,
    queued: 0,
    turns: 1,
    costUsd: null,
    costEstimated: false,
    userId: ME,
    cliSessionId: null,
  },
  ...{ error: null, forkedFrom: null, archivedAt: null, canFork: false, canSteer: false },
  ...{ createdAt: '2026-11-26T12:00:00.000Z', lastActivityAt: '2026-11-26T12:00:00.000Z' },
  ...fields,
})
const idsOf = (all: readonly Conversation[]): string[] => all.map(({ id }) => id)

beforeEach(() => {
  setActivePinia(createPinia())
  useAuthStore().user = { id: ME, email: 'ann@example.org', role: 'user' } as never
})

describe('the conversations of a page', () => {
  it('are sorted by their last activity, and leave the list for the archive by an event', async () => {
    const store = useConversationsStore()
    vi.mocked(listConversations).mockResolvedValue([one('a'), one('b', { lastActivityAt: '2026-11-26T13:00:00.000Z' })])
    await store.load()
    expect(idsOf(store.open)).toEqual(['b', 'a'])
    store.apply({ type: 'conversation:changed', conversation: one('b', { state: 'archived' }) })
    expect(idsOf(store.open)).toEqual(['a'])
    store.apply({ type: 'conversation:removed', conversationId: 'a' })
    expect(store.open).toEqual([])
  })

  it('keep what an event told while the list was on its way', async () => {
    const store = useConversationsStore()
    const { promise, resolve: answer } = Promise.withResolvers<Conversation[]>()
    vi.mocked(listConversations).mockReturnValue(promise)
    const loading = store.load()
    store.apply({ type: 'conversation:changed', conversation: one('a', { title: 'new' }) })
    store.apply({ type: 'conversation:removed', conversationId: 'b' })
    answer([one('a', { title: 'old' }), one('b'), one('c')])
    await loading
    expect(store.open.map(({ title }) => title).sort()).toEqual(['c', 'new'])
  })

  it('of other users are told to listeners only', () => {
    const store = useConversationsStore()
    const told = vi.fn()
    store.listen(told)
    const theirs = one('a', { userId: 'u2' })
    store.apply({ type: 'conversation:changed', conversation: theirs })
    expect(told).toHaveBeenCalledExactlyOnceWith('a', theirs)
    expect(store.open).toEqual([])
  })
})
