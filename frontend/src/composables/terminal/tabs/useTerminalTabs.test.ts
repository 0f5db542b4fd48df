import type { Agent, LiveSession } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test } from 'vitest'
import { effectScope, nextTick } from 'vue'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useTerminalTabs } from './useTerminalTabs.ts'

const agent = { id: 'a', name: 'harbour', runtime: 'claude-code', isSystem: false, terminalsPerUser: 3 } as Agent

beforeEach(() => {
  setActivePinia(createPinia())
  const user = { id: 'ann', email: 'ann@example.org', role: 'user' as const, disabledAt: null }
  useAuthStore().user = { ...user, invited: false, createdAt: '2026-01-01T00:00:00Z' }
})

const session = (tab: string | null, of: Partial<LiveSession> = {}): LiveSession => ({
  ...{ sessionId: `s-${tab}`, userId: 'ann', email: 'ann@example.org', mode: 'bash', waits: false, needs: null },
  ...{ works: false, signedIn: null, continues: null, recorded: 'nothing' as const },
  ...(tab !== null && { tab }),
  ...of,
})

function setUp() {
  const agents = useAgentsStore()
  const hear = async (...sessions: LiveSession[]): Promise<void> => {
    agents.apply({ type: 'sessions', agentId: 'a', sessions })
    await nextTick()
  }
  const tabs = effectScope().run(() => useTerminalTabs(() => agent))!
  const names = (): string[] => tabs.layout.value.tabs.map(({ name }) => name)
  return { tabs, hear, names }
}

test('the user’s terminals from other devices get a tab, and those of other users none', async () => {
  const { hear, names } = setUp()
  await hear(session(null), session('far'), session('theirs', { userId: 'ben' }))
  expect(names()).toEqual(['', 'far'])
})

test('a tab that was closed does not come back while the server still lists its session', async () => {
  const { tabs, hear, names } = setUp()
  await hear(session(null), session('far'))
  tabs.close('far')
  await hear(session(null), session('far', { waits: true }))
  expect([names(), tabs.count.value]).toEqual([[''], 1])
  await hear(session(null))
  await hear(session(null), session('far'))
  expect(names()).toEqual(['', 'far'])
})

test('terminals count that are open in this page or on the server, and ended ones do not', async () => {
  const { tabs, hear } = setUp()
  expect(tabs.count.value).toBe(0)
  tabs.setStatus('', 'connecting')
  tabs.open('bash')
  expect(tabs.count.value).toBe(1)
  tabs.setStatus('bash', 'connected')
  await hear(session(null), session('bash'), session('far'))
  expect(tabs.count.value).toBe(3)
  tabs.setStatus('bash', 'disconnected')
  await hear(session(null), session('far'))
  expect(tabs.count.value).toBe(2)
})

test('a new tab has a name that no terminal of the user has, and keeps what it was opened for', async () => {
  const { tabs, hear, names } = setUp()
  await hear(session(null), session('bash'))
  tabs.open('bash', { folder: '/home/developer/app' })
  expect(names()).toEqual(['', 'bash', 'bash-2'])
  const [first, , newest] = tabs.layout.value.tabs
  expect(tabs.orderOf(newest!)).toEqual({ name: 'bash-2', mode: 'bash', task: null, folder: '/home/developer/app' })
  expect(tabs.orderOf(first!)).toBeUndefined()
})

test('what a hidden tab prints is unseen until it is shown', () => {
  const { tabs } = setUp()
  tabs.open('bash')
  tabs.printed('bash')
  expect([...tabs.unseen.value]).toEqual([])
  tabs.printed('')
  expect([...tabs.unseen.value]).toEqual([''])
  tabs.activate('')
  return nextTick(() => expect([...tabs.unseen.value]).toEqual([]))
})

test('the state of the agent’s terminals is that of the one that is furthest', () => {
  const { tabs } = setUp()
  expect(tabs.status.value).toBe('disconnected')
  tabs.setStatus('', 'connecting')
  tabs.setStatus('bash', 'connected')
  expect(tabs.status.value).toBe('connected')
})
