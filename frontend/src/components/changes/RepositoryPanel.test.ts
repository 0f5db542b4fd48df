// @vitest-environment happy-dom
import type { Agent, GitStatus } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { readLastCommit, readStatus } from '@/api/git/git.ts'
import { forgetPublishDrafts } from '@/lib/tasks/publish/kept.ts'
import RepositoryPanel from './RepositoryPanel.vue'

vi.mock('@/api/git/git.ts')
vi.mock('@/api/tasks/providers.ts', () => ({ listProviders: () => Promise.resolve([]) }))

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(readStatus).mockResolvedValue({
    ...{ branch: 'main', commit: 'old', upstream: null, unfinished: null, remote: null, files: [] },
  } as unknown as GitStatus)
  vi.mocked(readLastCommit).mockResolvedValue({ commit: 'old', message: 'The last', isAtRemote: false })
})
afterEach(() => forgetPublishDrafts())
enableAutoUnmount(afterEach)

async function opened() {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: RepositoryPanel }] })
  const panel = mount(RepositoryPanel, {
    props: { agent: { id: '1', name: 'a', runtime: 'claude-code' } as Agent, repository: 'work' },
    global: { plugins: [router], stubs: { HistoryView: true, HooksSwitch: true, UIcon: true } },
  })
  await flushPromises()
  const view = async (query: Record<string, string>): Promise<void> => {
    await router.push({ path: '/', query })
    await flushPromises()
  }
  const message = () => panel.get<HTMLTextAreaElement>('[data-testid="commit-message"]')
  return { panel, view, message }
}

it('the changed message of the last commit is there after a look at the history, and after another page', async () => {
  const { panel, view, message } = await opened()
  await panel.get('[data-testid="commit-amend"]').trigger('click')
  await flushPromises()
  await message().setValue('The last, better')
  await view({ view: 'history' })
  expect(panel.find('[data-testid="commit-message"]').exists()).toBe(false)
  await view({})
  expect(message().element.value).toBe('The last, better')
  expect(panel.get('[data-testid="commit-submit"]').text()).toBe('Amend the last commit')
  panel.unmount()
  const again = await opened()
  expect(again.message().element.value).toBe('The last, better')
  expect(again.panel.get('[data-testid="commit-submit"]').text()).toBe('Amend the last commit')
})
