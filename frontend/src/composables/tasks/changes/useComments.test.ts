// @vitest-environment happy-dom
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import {
  COMMENTS_MAX,
  commentsOf,
  type DiffComment,
  forgetComments,
  keepComments,
  promptOf,
} from '@/lib/tasks/changes/comments.ts'
import { useComments } from './useComments.ts'

const TASK = 'commented'
const comment = (text: string): Omit<DiffComment, 'id'> => ({
  ...{ path: 'a.ts', from: 1, to: 1, isBefore: false },
  ...{ quote: ['+x'], text },
})
let scope: EffectScope
beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  forgetComments()
})
const open = () => scope.run(() => useComments(TASK))!
/** What another tab does, which the page has not heard of yet. */
const elsewhere = (...texts: string[]): void =>
  keepComments('', TASK, [...commentsOf('', TASK), ...texts.map((text) => ({ id: text, ...comment(text) }))])
const textsOf = (comments: readonly { readonly text: string }[]): string[] => comments.map(({ text }) => text)

it('a comment leaves those that another tab has added since the page was opened', () => {
  const { comments, add, edit, remove } = open()
  elsewhere('theirs')
  add(comment('mine'))
  elsewhere('more')
  edit(comments.value.find(({ text }) => text === 'mine')!.id, 'mine, again')
  elsewhere('last')
  remove('theirs')
  expect(textsOf(commentsOf('', TASK))).toEqual(['mine, again', 'more', 'last'])
  expect(textsOf(comments.value)).toEqual(['mine, again', 'more', 'last'])
})

it('comments of another tab appear', () => {
  const { comments } = open()
  elsewhere('theirs')
  window.dispatchEvent(new StorageEvent('storage', { key: 'slipway-diff-comments' }))
  expect(textsOf(comments.value)).toEqual(['theirs'])
})

it('a comment for which another tab has left no room is not taken', () => {
  const { add, isFull } = open()
  elsewhere(...Array.from({ length: COMMENTS_MAX }, (_, nth) => `theirs ${nth}`))
  expect(add(comment('mine'))).toBe(false)
  expect(isFull.value).toBe(true)
})

it('a comment that is being changed stays when another tab sends or removes it, and is stored with its new text', () => {
  const { comments, add, write, edit } = open()
  add(comment('mine'))
  const { id } = comments.value[0]!
  const removeElsewhere = (): void => {
    keepComments('', TASK, [])
    window.dispatchEvent(new StorageEvent('storage', { key: 'slipway-diff-comments' }))
  }
  write(id, 'half')
  removeElsewhere()
  expect(textsOf(comments.value)).toEqual(['mine'])
  edit(id, 'whole')
  write(id, null)
  expect(textsOf(commentsOf('', TASK))).toEqual(['whole'])
  expect(textsOf(comments.value)).toEqual(['whole'])
  const changed = comments.value[0]!.id
  write(changed, 'half')
  removeElsewhere()
  write(changed, null)
  expect(comments.value).toEqual([])
})

it('a comment that was changed since a message quoted it stays when the message is sent', () => {
  const { comments, add, edit, removeSent } = open()
  add(comment('first'))
  add(comment('second'))
  const ids = comments.value.map(({ id }) => id)
  const sent = promptOf(comments.value)
  edit(ids[0]!, 'changed')
  removeSent(ids, sent)
  expect(textsOf(commentsOf('', TASK))).toEqual(['changed'])
})
