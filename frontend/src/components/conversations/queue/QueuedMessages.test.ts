// @vitest-environment happy-dom
import type { Agent, Conversation, ConversationMessage } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import QueuedMessages from './QueuedMessages.vue'

vi.mock('@/api/tasks/conversations.ts')

const conversation = { id: 'c', agent: 'atlas', userId: 'ann', activity: 'running', queued: 2 } as Conversation
const mine = { id: 'mine', userId: 'me', text: 'Fix it.' } as ConversationMessage
const theirs = { id: 'theirs', userId: 'ann', text: 'Test it.' } as ConversationMessage

beforeEach(() => {
  setActivePinia(createPinia())
  useAuthStore().user = { id: 'me' } as never
})
enableAutoUnmount(afterEach)

/** Buttons look for the page that they lead to, and icons would be fetched. */
const shown = (relation: Agent['relation']) => {
  useAgentsStore().apply({ type: 'agent', agent: { id: 'a', name: 'atlas', relation } as Agent })
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: QueuedMessages }] })
  const props = { conversation, messages: [mine, theirs], refresh: () => Promise.resolve() }
  const global = { plugins: [router], stubs: { UIcon: true } }
  return mount(QueuedMessages, { props, global, attachTo: document.body })
}
const button = (id: string, part: string): HTMLElement =>
  document.querySelector<HTMLElement>(`[data-queued="${id}"] [data-part="${part}"]`)!
const partsOf = (queue: ReturnType<typeof shown>, id: string): (string | undefined)[] =>
  queue.findAll(`[data-queued="${id}"] [data-part]`).map((part) => part.attributes('data-part'))

test('a text that is being changed leaves the queue with its message', async () => {
  const queue = shown('sharee')
  await queue.get('[data-queued="mine"] [data-part="edit"]').trigger('click')
  await queue.get('textarea').setValue('Fix that, too.')
  await queue.setProps({ messages: [theirs] })
  expect(queue.emitted('overtaken')).toEqual([['mine', 'Fix that, too.']])
  expect(queue.find('textarea').exists()).toBe(false)
})

test('each user is offered what they may do with a message that waits', () => {
  const all = ['up', 'down', 'edit', 'withdraw']
  const guest = shown('sharee')
  expect([partsOf(guest, 'mine'), partsOf(guest, 'theirs')]).toEqual([all, []])
  const owner = shown('owner')
  expect(partsOf(owner, 'theirs')).toEqual(['up', 'down', 'withdraw'])
})

test('the focus follows a message that was moved, unless the user has gone on meanwhile', async () => {
  shown('owner')
  const moved = async (gone: boolean): Promise<Element | null> => {
    button('mine', 'down').focus()
    button('mine', 'down').click()
    // A row that moves loses the focus.
    if (gone) button('theirs', 'withdraw').focus()
    else button('mine', 'down').blur()
    await flushPromises()
    return document.activeElement
  }
  expect(await moved(true)).toBe(button('theirs', 'withdraw'))
  expect(await moved(false)).toBe(button('mine', 'down'))
})

test('the focus returns from a saved text to its message, unless the user has gone on meanwhile', async () => {
  const queue = shown('owner')
  const saved = async (gone: boolean): Promise<Element | null> => {
    await queue.get('[data-queued="mine"] [data-part="edit"]').trigger('click')
    await queue.get('textarea').setValue('Changed.')
    await queue.get('[data-testid="queued-save"]').trigger('click')
    if (gone) button('theirs', 'withdraw').focus()
    await flushPromises()
    return document.activeElement
  }
  expect(await saved(true)).toBe(button('theirs', 'withdraw'))
  button('theirs', 'withdraw').blur()
  expect(await saved(false)).toBe(button('mine', 'edit'))
})
