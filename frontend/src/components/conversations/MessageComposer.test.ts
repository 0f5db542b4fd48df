// @vitest-environment happy-dom
import type { Conversation, ConversationMessage } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defineComponent, h, ref } from 'vue'
import { sendMessage } from '@/api/tasks/conversations.ts'
import { unreachable } from '@/api/transport/errors.ts'
import { forgetQuoted } from '@/lib/conversations/quoted.ts'
import { type DiffComment, commentsOf, forgetComments, keepComments, promptOf } from '@/lib/tasks/changes/comments.ts'
import { draftOf, forgetTasks } from '@/lib/tasks/new/kept.ts'
import { useShellStore } from '@/stores/shell/shell.ts'
import MessageComposer from './MessageComposer.vue'

vi.mock('@/api/tasks/conversations.ts')
enableAutoUnmount(afterEach)

/** A field that is as simple as can be, and takes the focus. */
const PromptField = defineComponent({
  props: { modelValue: { type: String, required: true } },
  emits: ['update:modelValue', 'submit', 'uploading'],
  setup(props, { emit, expose }) {
    const area = ref<HTMLTextAreaElement | null>(null)
    expose({ focus: () => area.value?.focus() })
    const onInput = (): void => emit('update:modelValue', area.value?.value ?? '')
    return () => h('textarea', { ref: area, value: props.modelValue, onInput })
  },
})

const conversation = { id: 'c', agent: 'atlas', state: 'active', activity: 'idle', cwd: '/home/developer' }
const shown = () => {
  const composer = mount(MessageComposer, {
    props: { conversation: { ...conversation, gate: null, validate: false } as Conversation, isInterrupting: false },
    global: { stubs: { PromptField, UButton: true, ErrorNotice: true } },
    attachTo: document.body,
  })
  const area = composer.get('textarea')
  return {
    composer,
    area,
    text: () => area.element.value,
    /** Sends a text, or what is in the field. Resolves once the answer has come, if it comes at once. */
    send: async (text?: string) => {
      if (text !== undefined) await area.setValue(text)
      await composer.get('form').trigger('submit')
      await flushPromises()
    },
  }
}
/** Puts the answers of the server off. */
function late() {
  const { promise, resolve } = Promise.withResolvers<ConversationMessage>()
  vi.mocked(sendMessage).mockReturnValueOnce(promise)
  return async () => {
    resolve({} as ConversationMessage)
    await flushPromises()
  }
}
const comment = (id: string, text: string): DiffComment => ({
  ...{ id, path: 'a.ts', from: 4, to: 4, isBefore: false, quote: ['+new'] },
  text,
})
const [why, rename] = [comment('1', 'Why?'), comment('2', 'Rename it.')]
/** Opens the conversation with two comments on a task as the next message. */
function withComments() {
  keepComments('', 'task', [why, rename])
  const comments = { taskId: 'task', ids: [why.id, rename.id] }
  useShellStore().nextMessage = { conversationId: 'c', text: promptOf([why, rename]), comments }
  return shown()
}

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(sendMessage)
    .mockReset()
    .mockResolvedValue({} as ConversationMessage)
})
afterEach(() => {
  forgetTasks()
  forgetComments()
  forgetQuoted()
})

test('a message whose answer comes after its user has left is no draft any more', async () => {
  const answer = late()
  const { composer, send } = shown()
  await send('Fix it.')
  composer.unmount()
  expect(draftOf('', 'conversation#c')?.prompt).toBe('Fix it.')
  await answer()
  expect(draftOf('', 'conversation#c')).toBeNull()
})

test('a message whose answer comes once its user is back leaves the field, and what was typed behind it stays', async () => {
  const answer = late()
  const first = shown()
  await first.send('Fix it.')
  first.composer.unmount()
  const { area, text } = shown()
  await area.setValue('Fix it.\nAnd test it.')
  await answer()
  expect([text(), draftOf('', 'conversation#c')?.prompt]).toEqual(['And test it.', 'And test it.'])
})

test('what is typed stays a draft also if its user leaves at once', async () => {
  const { composer, area } = shown()
  area.element.value = 'Fix it.'
  area.element.dispatchEvent(new Event('input'))
  composer.unmount()
  expect(draftOf('', 'conversation#c')?.prompt).toBe('Fix it.')
})

test('comments stay unsent if their user takes them out of the message', async () => {
  const { send } = withComments()
  await send('What does the parser do?')
  expect(commentsOf('', 'task')).toEqual([why, rename])
  await send(`Instead:\n\n${promptOf([rename])}`)
  expect(commentsOf('', 'task')).toEqual([why])
})

test('comments are sent with a message that its user finishes after coming back', async () => {
  const { composer } = withComments()
  composer.unmount()
  const { send } = shown()
  await send()
  expect(vi.mocked(sendMessage).mock.lastCall?.[1].text).toBe(promptOf([why, rename]))
  expect(commentsOf('', 'task')).toEqual([])
})

test('comments stay until the message with them has arrived', async () => {
  vi.mocked(sendMessage).mockRejectedValueOnce(unreachable(null))
  const { send } = withComments()
  await send()
  expect(commentsOf('', 'task')).toEqual([why, rename])
  await send()
  expect(commentsOf('', 'task')).toEqual([])
})

test('a short message that is typed anew after a lost answer is another message', async () => {
  vi.mocked(sendMessage).mockRejectedValueOnce(unreachable(null))
  const { area, send } = shown()
  await send('continue')
  await area.setValue('')
  await send('continue')
  const [first, second] = vi.mocked(sendMessage).mock.calls
  expect(second?.[1]).toEqual(first?.[1])
  expect(second?.[2]).not.toBe(first?.[2])
})

test('the field has the focus again after a message, but not if its user has gone elsewhere meanwhile', async () => {
  const { area, send } = shown()
  await send('Fix it.')
  expect(document.activeElement).toBe(area.element)
  const elsewhere = document.body.appendChild(document.createElement('button'))
  const answer = late()
  await send('Test it.')
  elsewhere.focus()
  await answer()
  expect(document.activeElement).toBe(elsewhere)
  elsewhere.remove()
})
