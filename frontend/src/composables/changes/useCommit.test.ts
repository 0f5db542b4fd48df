// @vitest-environment happy-dom
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope, ref } from 'vue'
import { useCommit } from './useCommit.ts'
import type { Repository } from './useRepository.ts'

beforeEach(() => setActivePinia(createPinia()))

/** A form whose commit ends once the test says so. */
const setUp = () => {
  const { promise, resolve: end } = Promise.withResolvers<boolean>()
  const of = { status: ref(null), commit: vi.fn(() => promise) } as unknown as Repository
  return { form: effectScope().run(() => useCommit(of, 'a place'))!, end }
}

it('keeps the message that was typed while the commit was made', async () => {
  const { form, end } = setUp()
  form.message.value = 'The first'
  const made = form.commit()
  form.message.value = 'The second'
  end(true)
  await made
  expect(form.message.value).toBe('The second')
})

it('empties the field after a commit if it still has what was sent', async () => {
  const { form, end } = setUp()
  form.message.value = 'The first'
  const made = form.commit()
  end(true)
  await made
  expect(form.message.value).toBe('')
})
