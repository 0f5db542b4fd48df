// @vitest-environment happy-dom
import type { Agent, WorktreeSettings as Settings } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { afterEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { readWorktreeSettings, saveWorktreeSettings } from '@/api/git/worktrees.ts'
import WorktreeSettings from './WorktreeSettings.vue'

vi.mock('@/api/git/worktrees.ts')
enableAutoUnmount(afterEach)

it('what is typed into the settings of worktrees during a save stays, and can be saved', async () => {
  vi.mocked(readWorktreeSettings).mockResolvedValue({ mode: 'off', root: '.copies', setup: null })
  const { promise, resolve } = Promise.withResolvers<Settings>()
  vi.mocked(saveWorktreeSettings).mockReturnValueOnce(promise)
  // Buttons look for the page that they lead to.
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: WorktreeSettings }] })
  const page = mount(WorktreeSettings, {
    props: { agent: { name: 'atlas', relation: 'owner' } as Agent },
    global: { plugins: [router], stubs: { UIcon: true } },
  })
  await flushPromises()
  const [root, setup] = [page.get('[data-testid="worktree-root"]'), page.get('[data-testid="worktree-setup"]')]
  await root.setValue('.trees')
  await page.get('form').trigger('submit')
  await setup.setValue('npm ci')
  resolve({ mode: 'off', root: '.trees', setup: null })
  await flushPromises()
  expect([root, setup].map(({ element }) => (element as HTMLInputElement).value)).toEqual(['.trees', 'npm ci'])
  expect(page.get('[data-testid="worktree-save"]').attributes('disabled')).toBeUndefined()
})
