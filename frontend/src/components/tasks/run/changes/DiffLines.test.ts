// @vitest-environment happy-dom
import { enableAutoUnmount, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { type Comments, useComments } from '@/composables/tasks/changes/useComments.ts'
import { forgetComments } from '@/lib/tasks/changes/comments.ts'
import { linesOf } from '@/lib/tasks/changes/patch.ts'
import DiffLines from './DiffLines.vue'

const lines = linesOf('@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n')
let scope: EffectScope
let comments: Comments
let tasks = 0
beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
  comments = scope.run(() => useComments(`task ${(tasks += 1)}`))!
})
afterEach(() => {
  scope.stop()
  forgetComments()
})
enableAutoUnmount(afterEach)

/** Buttons look for the page that they lead to. */
const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: DiffLines }] })
const shown = () => {
  const diff = mount(DiffLines, {
    props: { path: 'notes', lines, shown: 600, isSplit: false, comments },
    global: { plugins: [router], stubs: { UIcon: true } },
  })
  return {
    diff,
    tap: (line: number) =>
      diff.get(`[data-line="${line}"] [data-number]`).trigger('pointerdown', { button: 0, pointerType: 'touch' }),
    text: () => diff.get<HTMLTextAreaElement>('textarea'),
  }
}

it('a half-written comment stays when further lines are chosen, and when its file was folded', async () => {
  const { diff, tap, text } = shown()
  await tap(1)
  await text().setValue('Why not')
  await tap(3)
  expect(text().attributes('aria-label')).toBe('Comment on lines 1 to 2')
  expect(text().element.value).toBe('Why not')
  diff.unmount()
  const again = shown()
  await again.tap(4)
  expect(again.text().element.value).toBe('Why not')
  await again.diff.get('form').trigger('submit')
  expect(comments.comments.value).toMatchObject([{ from: 3, to: 3, text: 'Why not' }])
  await again.tap(1)
  expect(again.text().element.value).toBe('')
})

it('a comment that is cancelled is not there for the next line', async () => {
  const { diff, tap, text } = shown()
  await tap(1)
  await text().setValue('Why not')
  await text().trigger('keydown', { key: 'Escape' })
  expect(diff.find('textarea').exists()).toBe(false)
  await tap(4)
  expect(text().element.value).toBe('')
})

it('what a comment is changed to stays while its file is folded', async () => {
  comments.add({ path: 'notes', from: 3, to: 3, isBefore: false, quote: [' three'], text: 'Why?' })
  const { diff, text } = shown()
  await diff.get('[aria-label="Edit comment"]').trigger('click')
  await text().setValue('Why three?')
  diff.unmount()
  const again = shown()
  await again.diff.get('[aria-label="Edit comment"]').trigger('click')
  expect(again.text().element.value).toBe('Why three?')
  await again.diff.get('form').trigger('submit')
  expect(again.diff.get('[data-testid="comment"]').text()).toBe('Why three?')
})

it('a comment that is being written stays at its lines when the diff is read again, or waits for others', async () => {
  const { diff, tap, text } = shown()
  await tap(4)
  await text().setValue('Why three?')
  await diff.setProps({ lines: linesOf('@@ -1,3 +1,3 @@\n-one\n+eins\n-two\n+zwei\n three\n') })
  expect(text().attributes('aria-label')).toBe('Comment on line 3')
  expect(text().element.value).toBe('Why three?')
  expect(diff.get('.diff-chosen').text()).toContain('three')
  await diff.setProps({ lines: linesOf('@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n') })
  expect(diff.find('textarea').exists()).toBe(false)
  await tap(1)
  expect(text().element.value).toBe('Why three?')
})

it('a comment that is being written moves with its lines if others come before them', async () => {
  const { diff, tap, text } = shown()
  await tap(4)
  await text().setValue('Why three?')
  await diff.setProps({ lines: linesOf('@@ -1,3 +1,4 @@\n+null\n one\n-two\n+zwei\n three\n') })
  expect(text().attributes('aria-label')).toBe('Comment on line 4')
  expect(text().element.value).toBe('Why three?')
})
