// @vitest-environment happy-dom
import type { Agent } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { listRepositories } from '@/api/git/git.ts'
import ChangesTab from './ChangesTab.vue'
import RepositoryPanel from './RepositoryPanel.vue'

vi.mock('@/api/git/git.ts')

const listed = (...paths: string[]) =>
  vi.mocked(listRepositories).mockResolvedValue({
    ...{ items: paths.map((path) => ({ path, branch: 'main', kind: 'main' as const })), truncated: false, unnamed: 0 },
  })
beforeEach(() => setActivePinia(createPinia()))
enableAutoUnmount(afterEach)

async function opened(query: Record<string, string> = {}) {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: ChangesTab }] })
  await router.push({ path: '/', query })
  const tab = mount(ChangesTab, {
    props: { agent: { id: '1', name: 'a', state: 'running' } as Agent },
    global: { plugins: [router], stubs: { RepositoryPanel: true, USelect: true, UIcon: true } },
  })
  await flushPromises()
  const panel = () => tab.findComponent(RepositoryPanel)
  return { tab, shown: () => (panel().exists() ? panel().props('repository') : null) }
}
/** The next look for repositories. */
const look = async (tab: Awaited<ReturnType<typeof opened>>['tab']): Promise<void> => {
  await tab.setProps({ agent: { id: '1', name: 'a', state: 'stopped' } as Agent })
  await tab.setProps({ agent: { id: '1', name: 'a', state: 'running' } as Agent })
  await flushPromises()
}

it('no other repository takes the place of the one in the address that is gone', async () => {
  listed('app', 'lib')
  const { tab, shown } = await opened({ repository: '.slipway/gone' })
  expect(shown()).toBe(null)
  expect(tab.get('[data-testid="changes-missing"]').text()).toContain('.slipway/gone is not there any more')
})

it('the first repository is shown, and stays while others come and go', async () => {
  listed('lib')
  const { tab, shown } = await opened()
  expect(shown()).toBe('lib')
  listed('app', 'lib')
  await look(tab)
  expect(shown()).toBe('lib')
  listed('app')
  await look(tab)
  expect(shown()).toBe(null)
  expect(tab.get('[data-testid="changes-missing"]').text()).toContain('lib is not there any more')
})
