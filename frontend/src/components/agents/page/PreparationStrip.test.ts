// @vitest-environment happy-dom
import type { Agent, Preparation, User } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { readPreparation } from '@/api/agents/preparations.ts'
import { unreachable } from '@/api/transport/errors.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { usePreparationsStore } from '@/stores/agents/preparations.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useShellStore } from '@/stores/shell/shell.ts'
import PreparationStrip from './PreparationStrip.vue'

vi.mock('@/api/agents/preparations.ts')
enableAutoUnmount(afterEach)
beforeEach(() => setActivePinia(createPinia()))

const agent = { id: 'a', name: 'atlas', relation: 'owner', isSystem: false } as Agent
const preparation: Preparation = {
  state: 'waiting',
  repository: {
    ...{ url: 'https://example.com/web/app.git', ref: null, folder: '/home/developer/app' },
    ...{ isCloned: false, commit: null, branch: null },
  },
  ...{ setupCommand: null, progress: null, offer: null, confirmed: null, task: null, error: null, output: '' },
  changedAt: '2026-01-01T00:00:00Z',
}

async function shown() {
  // Buttons look for the page that they lead to.
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:any(.*)', component: PreparationStrip }],
  })
  const strip = mount(PreparationStrip, {
    props: { agent },
    global: { plugins: [router], stubs: { UIcon: true, PreparationOffer: true } },
  })
  await flushPromises()
  return strip
}

it('a preparation that waits for a decision is shown after a gap in the events, although its first read failed', async () => {
  vi.mocked(readPreparation).mockRejectedValueOnce(unreachable(null))
  const strip = await shown()
  expect(strip.text()).toBe('')
  vi.mocked(readPreparation).mockResolvedValueOnce({ preparation: { ...preparation, state: 'confirming' } })
  for (const online of [false, true]) {
    useAgentsStore().online = online
    await nextTick()
  }
  await flushPromises()
  expect(strip.text()).toContain('web/app wants to set up the agent')
})

const PROMPT = 'Mend the harbour light.'
const cloned = preparation.repository && { ...preparation.repository, isCloned: true }
const task = { userId: 'ada', prompt: null, provider: 'codex', sessionId: null, error: null }

it.each<[string, Partial<Preparation>, object]>([
  [
    'could not start',
    { state: 'ready', repository: cloned, task: { ...task, error: 'No.' } },
    { prompt: PROMPT, cwd: '/home/developer/app' },
  ],
  ['waits for a clone that failed', { state: 'failed', task }, { prompt: PROMPT }],
  ['waits for a set-up that was cancelled', { state: 'cancelled', task }, { prompt: PROMPT }],
])('the form of a new task begins with the first task, if that %s', async (_, change, initial) => {
  useAuthStore().user = { id: 'ada' } as User
  // As an event tells it, without the prompt.
  usePreparationsStore().put('a', { ...preparation, ...change })
  vi.mocked(readPreparation).mockRejectedValueOnce(unreachable(null))
  const strip = await shown()
  const own = { ...preparation, ...change, task: { ...task, ...change.task, prompt: PROMPT } }
  vi.mocked(readPreparation).mockResolvedValueOnce({ preparation: own })
  await strip.get('[data-testid="preparation-first-task"]').trigger('click')
  await flushPromises()
  expect(useShellStore().newTask).toEqual({ agent: 'atlas', provider: 'codex', initial })
})

it.each<[string, Partial<Preparation>]>([
  ['has been started by another window', { state: 'ready', task: { ...task, sessionId: 's' } }],
  ['starts by itself, because another window tries again', { state: 'cloning', task }],
])('the form of a new task stays closed, and the strip says so, if the first task %s', async (_, change) => {
  useAuthStore().user = { id: 'ada' } as User
  usePreparationsStore().put('a', { ...preparation, state: 'failed', task })
  vi.mocked(readPreparation).mockRejectedValueOnce(unreachable(null))
  const strip = await shown()
  const changedAt = new Date().toISOString()
  vi.mocked(readPreparation).mockResolvedValueOnce({ preparation: { ...preparation, ...change, changedAt } })
  await strip.get('[data-testid="preparation-first-task"]').trigger('click')
  await flushPromises()
  expect([useShellStore().newTask, strip.attributes('data-state')]).toEqual([null, change.state])
  expect(strip.find('[data-testid="preparation-task"]').exists()).toBe(change.state === 'ready')
})

it.each<[string, Partial<Preparation>, boolean]>([
  ['says that a further try also starts the first task', { state: 'failed', task }, true],
  ['says nothing of a further try where there is none', { state: 'ready', task: { ...task, error: 'No.' } }, false],
])('the strip, which offers to start the first task, %s', async (_, change, isSaid) => {
  useAuthStore().user = { id: 'ada' } as User
  usePreparationsStore().put('a', { ...preparation, ...change })
  vi.mocked(readPreparation).mockRejectedValueOnce(unreachable(null))
  const strip = await shown()
  expect(strip.find('[data-testid="preparation-first-task"]').exists()).toBe(true)
  expect(strip.text().includes('Try again also starts the first task.')).toBe(isSaid)
})

it('the first task of another user is not offered', async () => {
  useAuthStore().user = { id: 'eve' } as User
  usePreparationsStore().put('a', { ...preparation, state: 'failed', task })
  vi.mocked(readPreparation).mockRejectedValueOnce(unreachable(null))
  expect((await shown()).find('[data-testid="preparation-first-task"]').exists()).toBe(false)
})
