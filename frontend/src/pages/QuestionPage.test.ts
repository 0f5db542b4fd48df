// @vitest-environment happy-dom
import type { Dialog } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { readDialog } from '@/api/dialogs/dialogs.ts'
import { ApiError } from '@/api/transport/errors.ts'
import QuestionPage from './QuestionPage.vue'

vi.mock('@/api/dialogs/dialogs.ts')

beforeEach(() => setActivePinia(createPinia()))
enableAutoUnmount(afterEach)

const shown = async () => {
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/questions/:id', component: QuestionPage }],
  })
  await router.push('/questions/7')
  const stubs = { UIcon: true, PageFrame: { template: '<div><slot /></div>' }, DialogCard: true, EmptyNote: true }
  const page = mount(QuestionPage, { global: { plugins: [router], stubs } })
  await flushPromises()
  return page
}
const isThere = (page: Awaited<ReturnType<typeof shown>>, name: string): boolean =>
  page.find(`[data-testid="${name}"]`).exists()

it('a question that could not be read is not said to be missing, and is read again on request', async () => {
  vi.mocked(readDialog).mockRejectedValueOnce(new ApiError(502, 'UNEXPECTED', 'The server is away.'))
  const page = await shown()
  expect(isThere(page, 'question-missing')).toBe(false)
  expect(page.get('[data-testid="question-error"]').text()).toContain('The server is away.')
  vi.mocked(readDialog).mockResolvedValueOnce({ id: '7', state: 'open', openedAt: '', closedAt: null } as Dialog)
  await page.get('[data-testid="question-error"] button').trigger('click')
  await flushPromises()
  expect(isThere(page, 'question-error')).toBe(false)
  expect(page.findComponent({ name: 'DialogCard' }).exists()).toBe(true)
})

it('a question that the user may not see is said to be missing', async () => {
  vi.mocked(readDialog).mockRejectedValueOnce(new ApiError(404, 'NOT_FOUND', 'Not found.'))
  const page = await shown()
  expect([isThere(page, 'question-missing'), isThere(page, 'question-error')]).toEqual([true, false])
})
