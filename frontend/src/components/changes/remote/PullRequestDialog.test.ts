// @vitest-environment happy-dom
import type { Agent, GitProposal, GitStatus } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, shallowRef } from 'vue'
import { proposeBranch, readProposal } from '@/api/git/git.ts'
import { ApiError } from '@/api/transport/errors.ts'
import PullForm from '@/components/pulls/PullForm.vue'
import { usePullRequest } from '@/composables/changes/usePullRequest.ts'
import { asked } from '@/composables/useConfirm.ts'
import PullRequestDialog from './PullRequestDialog.vue'

vi.mock('@/api/git/git.ts')

const agent = { name: 'a' } as Agent
const on = (branch: string) => ({ branch, commit: branch, remote: { name: 'origin', url: 'u' } }) as GitStatus
const proposed = (title: string, base: string) =>
  ({ pullRequest: null, pushed: true, base, suggested: { title, body: '' } }) as unknown as GitProposal
beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(readProposal).mockResolvedValueOnce(proposed('Of a', 'main')).mockResolvedValue(proposed('Of b', 'next'))
})
enableAutoUnmount(afterEach)

it('opens the pull request of the branch that was asked about, also if another one is checked out meanwhile', async () => {
  const status = shallowRef(on('feature-a'))
  const dialog = mount(
    defineComponent(() => {
      const of = usePullRequest(
        () => 'a',
        () => 'work',
        () => status.value,
      )
      return () => h(PullRequestDialog, { agent, status: status.value, of })
    }),
    { global: { stubs: { UModal: { template: '<div><slot name="body" /></div>' }, PullForm: true } } },
  )
  await flushPromises()
  dialog.getComponent(PullForm).vm.$emit('send')
  await flushPromises()
  expect(asked.value?.body).toContain('From feature-a into main.')
  status.value = on('feature-b')
  await flushPromises()
  expect(dialog.getComponent(PullForm).props('form')).toMatchObject({ title: 'Of b', base: 'next' })
  vi.mocked(proposeBranch).mockRejectedValue(
    new ApiError(409, 'CHANGES_CONFLICT', 'Another branch is checked out now.'),
  )
  asked.value?.answer(true)
  await flushPromises()
  expect(proposeBranch).toHaveBeenCalledExactlyOnceWith(
    'a',
    expect.objectContaining({ branch: 'feature-a', base: 'main', title: 'Of a' }),
  )
  expect(dialog.get('[data-testid="publish-failure"]').text()).toBe('Another branch is checked out now.')
})
