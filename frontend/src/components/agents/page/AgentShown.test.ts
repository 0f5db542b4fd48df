// @vitest-environment happy-dom
import type { Agent, Shown } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { readShown } from '@/api/agents/shown.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import AgentShown from './AgentShown.vue'

vi.mock('@/api/agents/shown.ts')
enableAutoUnmount(afterEach)

const titled = (text: string) => {
  const shown: Shown = { sessionId: null, kind: 'title', key: 'title', lines: [text], at: '' }
  return { shown: [shown], notices: [] }
}

it('what an agent shows is read again after each gap in the events, however short', async () => {
  setActivePinia(createPinia())
  vi.mocked(readShown).mockResolvedValueOnce(titled('Builds'))
  const shown = mount(AgentShown, { props: { agent: { id: 'a', name: 'atlas' } as Agent } })
  await flushPromises()
  expect(shown.text()).toBe('Builds')
  vi.mocked(readShown).mockResolvedValueOnce(titled('Tests'))
  for (const online of [false, true]) {
    useAgentsStore().online = online
    await nextTick()
  }
  await flushPromises()
  expect([shown.text(), vi.mocked(readShown).mock.calls]).toEqual(['Tests', [['atlas'], ['atlas']]])
})
