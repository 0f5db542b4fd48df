import type { Agent, PlatformEvent, Shown } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { readShown } from '@/api/agents/shown.ts'
import { useShownStore } from './shown.ts'

vi.mock('@/api/agents/shown.ts', () => ({ readShown: vi.fn() }))

const status = (key: string, text: string, sessionId: string | null = null): Shown => ({
  ...{ kind: 'status', key, sessionId, at: '2026-01-01T00:00:00.000Z' },
  lines: text === '' ? [] : [text],
})
const told = (shown: Shown): PlatformEvent => ({ type: 'agent:shown', agentId: 'a', shown })

beforeEach(() => setActivePinia(createPinia()))

describe('what an agent shows', () => {
  it('changes with each event, and is gone without a text', () => {
    const store = useShownStore()
    for (const one of [status('x', '1'), status('y', '2'), status('x', '3'), status('y', '')]) store.apply(told(one))
    expect(store.of('a')).toEqual([status('x', '3')])
    expect(store.of('b')).toEqual([])
  })

  it('of a task is gone when the task has ended, and all of it when the agent does not run', () => {
    const store = useShownStore()
    store.apply(told(status('x', '1', 'task')))
    store.apply(told(status('x', '2')))
    store.apply({ type: 'coding-agent:session:exit', sessionId: 'task', exitCode: 0, reason: 'completed' })
    expect(store.of('a')).toEqual([status('x', '2')])
    store.apply({ type: 'agent', agent: { id: 'a', state: 'stopped' } as Agent })
    expect(store.of('a')).toEqual([])
  })

  it('is not replaced by a response that is older than an event', async () => {
    const answer = Promise.withResolvers<{ shown: Shown[]; notices: [] }>()
    vi.mocked(readShown).mockReturnValueOnce(answer.promise)
    const store = useShownStore()
    const loading = store.load('a', 'atlas')
    store.apply(told(status('x', 'new')))
    answer.resolve({ shown: [status('x', 'old')], notices: [] })
    await loading
    expect(store.of('a')).toEqual([status('x', 'new')])
  })
})
