// @vitest-environment happy-dom
import type { GitStatus } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'
import { useCommit } from './useCommit.ts'
import type { Repository } from './useRepository.ts'

beforeEach(() => setActivePinia(createPinia()))

const at = (commit: string) => ({ commit }) as GitStatus
/** A form whose commit ends once the test says so, after a look at the repository. */
const setUp = (place: string = crypto.randomUUID()) => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const status = shallowRef<GitStatus | null>(at('old'))
  const readLast = () => Promise.resolve({ commit: 'old', message: 'The last', isAtRemote: false })
  const of = { status, commit: vi.fn(() => promise), readLast } as unknown as Repository
  const scope = effectScope()
  const form = scope.run(() => useCommit(of, place))!
  const end = async (isMade: boolean): Promise<void> => {
    status.value = at('new')
    await nextTick()
    resolve(isMade)
  }
  return { form, status, end, leave: () => scope.stop() }
}

it('keeps the message that was typed while the commit was made', async () => {
  const { form, end } = setUp()
  form.message.value = 'The first'
  const made = form.commit()
  form.message.value = 'The second'
  await end(true)
  await made
  expect(form.message.value).toBe('The second')
})

it('empties the field after a commit if it still has what was sent', async () => {
  const { form, end } = setUp()
  form.message.value = 'The first'
  const made = form.commit()
  await end(true)
  await made
  expect(form.message.value).toBe('')
})

it('keeps what was typed before and while the last commit was amended', async () => {
  const { form, end } = setUp()
  form.message.value = 'Before'
  await form.amend(true)
  expect(form.message.value).toBe('The last')
  const made = form.commit()
  form.message.value = 'Meanwhile'
  await end(true)
  await made
  expect([form.message.value, form.amended.value]).toEqual(['Before\n\nMeanwhile', null])
})

it('has what was typed before, once the last commit is amended', async () => {
  const { form, end } = setUp()
  form.message.value = 'Before'
  await form.amend(true)
  const made = form.commit()
  await end(true)
  await made
  expect([form.message.value, form.amended.value]).toEqual(['Before', null])
})

it.each([
  ['its answer is lost', true],
  ['another commit takes its place', false],
])('keeps the changed message of an amended commit if %s', async (_what, isSent) => {
  const { form, status, end } = setUp()
  await form.amend(true)
  form.message.value = 'The last, better'
  if (isSent) {
    const made = form.commit()
    await end(false)
    await made
  } else status.value = at('another')
  await nextTick()
  expect([form.message.value, form.amended.value]).toEqual(['The last, better', null])
})

it('keeps what was typed if the last commit is read twice', async () => {
  const { form } = setUp()
  form.message.value = 'Before'
  await Promise.all([form.amend(true), form.amend(true)])
  await form.amend(false)
  expect(form.message.value).toBe('Before')
})

it('has the amended commit and both messages again when its page is opened again', async () => {
  const first = setUp('left')
  first.form.message.value = 'Before'
  await first.form.amend(true)
  first.form.message.value = 'The last, better'
  first.form.replace('As the CLI has it')
  await nextTick()
  first.leave()
  const { form } = setUp('left')
  expect([form.message.value, form.amended.value]).toEqual(['As the CLI has it', 'old'])
  form.takeBack()
  expect(form.message.value).toBe('The last, better')
  await form.amend(false)
  expect(form.message.value).toBe('Before')
})

it('has nothing of a commit that was made after its page was left', async () => {
  const { form, end, leave } = setUp('made')
  form.message.value = 'The first'
  await nextTick()
  const made = form.commit()
  leave()
  await end(true)
  await made
  expect(setUp('made').form.message.value).toBe('')
})

it('leaves the message that the user writes in another form while the commit is made', async () => {
  const place = crypto.randomUUID()
  const first = setUp(place)
  first.form.message.value = 'The first'
  const made = first.form.commit()
  await nextTick()
  first.leave()
  const second = setUp(place)
  expect(second.form.message.value).toBe('The first')
  second.form.message.value = 'The second'
  await first.end(true)
  await made
  await nextTick()
  second.leave()
  expect(setUp(place).form.message.value).toBe('The second')
})

it.each([
  ['is shown again', true],
  ['is gone', false],
])('keeps nothing of an amended commit whose form %s when it is made', async (_what, isShown) => {
  const place = crypto.randomUUID()
  const first = setUp(place)
  first.form.message.value = 'Before'
  await first.form.amend(true)
  first.form.message.value = 'Better'
  const made = first.form.commit()
  await nextTick()
  first.leave()
  if (isShown) {
    const second = setUp(place)
    expect([second.form.message.value, second.form.amended.value]).toEqual(['Better', 'old'])
    second.status.value = at('new')
  }
  await first.end(true)
  await made
  const { message, amended } = setUp(place).form
  expect([message.value, amended.value]).toEqual(['Before', null])
})

it('does not bring back what was typed before an amending that was given up', async () => {
  const { form, end } = setUp()
  form.message.value = 'Before'
  await form.amend(true)
  await form.amend(false)
  form.message.value = 'Better'
  const made = form.commit()
  await end(true)
  await made
  expect(form.message.value).toBe('')
})
