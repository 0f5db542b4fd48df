// @vitest-environment happy-dom
import type { CodingSession, Publication } from '@slipway/protocol'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import { commitWork, proposeWork, readPublication } from '@/api/git/publications.ts'
import { forgetPublishDrafts, keepPublishDraft, publishDraftOf } from '@/lib/tasks/publish/kept.ts'
import { usePublication } from './usePublication.ts'

vi.mock('@/api/git/publications.ts')

const task = { id: 'task', agent: 'one', state: 'completed' } as CodingSession
const publication = {
  ...{ branch: 'work', base: 'main', pullRequest: null },
  suggested: { branch: 'slipway/work', message: 'Fix it', title: 'Fix it', body: 'It was broken.' },
} as Publication
let scope: EffectScope
beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
  vi.mocked(readPublication).mockResolvedValue(publication)
})
afterEach(() => {
  scope.stop()
  forgetPublishDrafts()
})
const opened = async () => {
  const of = scope.run(() =>
    usePublication(
      () => task,
      () => null,
    ),
  )!
  await flushPromises()
  return of
}

it('what is typed while a pull request is opened stays, and what was sent is forgotten', async () => {
  const { promise, resolve: end } = Promise.withResolvers<never>()
  vi.mocked(proposeWork).mockReturnValueOnce(promise)
  const { form, change, proposal, propose } = await opened()
  change({ title: 'The first', base: 'next' })
  const proposed = propose(proposal())
  change({ title: 'The second', text: 'With a reason.' })
  end(undefined as never)
  expect(await proposed).toBe(true)
  expect(vi.mocked(proposeWork).mock.calls[0]?.[1]).toMatchObject({ title: 'The first', base: 'next' })
  expect(form.value).toMatchObject({ title: 'The second', text: 'With a reason.', base: 'main' })
  expect(publishDraftOf('', 'task')).toEqual({ title: 'The second', text: 'With a reason.' })
})

it('what is typed while a commit is made stays, and what was sent is forgotten', async () => {
  const { promise, resolve: end } = Promise.withResolvers<never>()
  vi.mocked(commitWork).mockReturnValueOnce(promise)
  const { form, change, commit } = await opened()
  change({ subject: 'The first', branch: 'mine' })
  const made = commit()
  change({ body: 'With a reason.' })
  end(undefined as never)
  expect(await made).toBe(true)
  expect(form.value).toMatchObject({ subject: 'Fix it', body: 'With a reason.', branch: 'work' })
})

it('what another tab has typed into other fields stays, and appears', async () => {
  const { form, change } = await opened()
  keepPublishDraft('', 'task', { title: 'Theirs' })
  change({ text: 'Mine' })
  expect(publishDraftOf('', 'task')).toEqual({ title: 'Theirs', text: 'Mine' })
  keepPublishDraft('', 'task', { title: 'Theirs, again' })
  window.dispatchEvent(new StorageEvent('storage', { key: 'slipway-publish' }))
  expect(form.value).toMatchObject({ title: 'Theirs, again', text: 'It was broken.' })
})

it('a pull request is of the branch that the question named, also if another one is checked out meanwhile', async () => {
  const { load, proposal, propose } = await opened()
  const asked = proposal()
  vi.mocked(readPublication).mockResolvedValue({ ...publication, branch: 'other', base: 'next' })
  await load()
  await propose(asked)
  expect(vi.mocked(proposeWork).mock.lastCall?.[1]).toMatchObject({ branch: 'work', base: 'main' })
})
