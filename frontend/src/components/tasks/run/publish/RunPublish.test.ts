// @vitest-environment happy-dom
import type { CodingSession, Publication, PullFeedback } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { proposeWork, readFeedback, readPublication, readPullText } from '@/api/git/publications.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { asked } from '@/composables/useConfirm.ts'
import RunPublish from './RunPublish.vue'

vi.mock('@/api/git/publications.ts')
enableAutoUnmount(afterEach)
beforeEach(() => setActivePinia(createPinia()))

const task = { id: 'task', agent: 'one', state: 'completed', conversationId: null } as CodingSession
const publication = {
  ...{ branch: 'work', base: 'main', commit: 'c', uncommitted: 0, pushed: true, ahead: 1, compareUrl: null },
  remote: { name: 'origin', url: 'https://github.com/a/b', hasPullRequests: true },
  suggested: { branch: 'slipway/work', message: 'Fix it', title: 'Fix it', body: '' },
  pullRequest: {
    ...{ number: 7, url: 'https://github.com/a/b/pull/7', title: 'Fix it', draft: true },
    ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
  },
} as unknown as Publication
const feedback = (state: PullFeedback['state']) =>
  ({ number: 7, state, checks: null, resolved: 0, reviews: [], threads: [], comments: [] }) as unknown as PullFeedback

it('a pull request that turns out to be merged is shown neither as a draft, nor as open, nor with a form to change it', async () => {
  vi.mocked(readPublication).mockResolvedValue(publication)
  vi.mocked(readPullText).mockResolvedValue({ number: 7, title: 'Fix it', body: '' })
  vi.mocked(readFeedback).mockResolvedValueOnce(feedback('open')).mockResolvedValue(feedback('merged'))
  vi.mocked(proposeWork).mockRejectedValue(new ApiError(409, 'PULL_REQUEST_CLOSED', '#7 is merged.'))
  // Buttons look for the page that they lead to.
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: RunPublish }] })
  const page = mount(RunPublish, {
    props: { task, validation: null },
    global: { plugins: [router], stubs: { UIcon: true } },
  })
  await flushPromises()
  const at = (name: string) => page.find(`[data-testid="${name}"]`)
  await at('publish-feedback').trigger('click')
  await flushPromises()
  expect(at('publish-review').text()).toContain('#7 is open')
  expect(at('publish-pull').text()).toContain('Draft')

  const details = page.get<HTMLDetailsElement>('details')
  details.element.open = true
  await details.trigger('toggle')
  await flushPromises()
  await at('pull-form').trigger('submit')
  await flushPromises()
  asked.value?.answer(true)
  await flushPromises()
  expect(at('publish-failure').text()).toContain('#7 is merged.')
  expect(at('publish-another').exists()).toBe(true)
  expect(at('pull-form').exists()).toBe(false)
  expect(at('publish-pull').text()).not.toContain('Draft')
  expect(at('publish-review').text()).toContain('#7 is merged')
})
