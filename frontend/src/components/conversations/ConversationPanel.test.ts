// @vitest-environment happy-dom
import type { Conversation, ConversationTurn } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { computed, defineComponent, nextTick, ref, shallowRef } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { interruptConversation } from '@/api/tasks/conversations.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { useConversation } from '@/composables/conversations/useConversation.ts'
import ConversationPanel from './ConversationPanel.vue'
import QueuedMessages from './queue/QueuedMessages.vue'

const toast = vi.hoisted(() => ({ add: vi.fn() }))
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => toast }))
vi.mock('@/api/tasks/conversations.ts')
vi.mock('@/composables/conversations/useConversation.ts')
enableAutoUnmount(afterEach)

const turn = { message: { id: 'one', state: 'sent' }, run: null } as ConversationTurn
const during = (currentRunId: string) =>
  ({ id: 'c', agent: 'atlas', state: 'active', activity: 'running', title: 'Fix', currentRunId }) as Conversation

/** The panel of a conversation whose first turn runs, with a field and a list that only note what they are told. */
function shown() {
  const conversation = shallowRef<Conversation | null>(during('first'))
  vi.mocked(useConversation).mockReturnValue({
    ...{ conversation, turns: computed(() => [turn]), queue: shallowRef([]), hasEarlier: computed(() => false) },
    ...{ isMissing: ref(false), error: ref(null), isLost: ref(false), isLoadingEarlier: ref(false) },
    ...{ refresh: () => Promise.resolve(), loadEarlier: () => Promise.resolve() },
  })
  const composer = { append: vi.fn(), focus: vi.fn(), write: vi.fn() }
  const MessageComposer = defineComponent({
    props: { isInterrupting: Boolean },
    emits: ['sending', 'sent', 'interrupt'],
    setup(_props, { expose }) {
      expose(composer)
      return () => null
    },
  })
  const toEnd = vi.fn()
  const TurnList = defineComponent({
    setup(_props, { expose }) {
      expose({ toEnd })
      return () => null
    },
  })
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: ConversationPanel }] })
  const global = { plugins: [router], stubs: { MessageComposer, TurnList } }
  const panel = mount(ConversationPanel, { props: { id: 'c', query: {} }, shallow: true, global })
  return { panel, conversation, composer, toEnd, field: panel.getComponent(MessageComposer) }
}
beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(interruptConversation).mockReset()
})

test('the text of a message whose turn has begun goes to the field of the next message, and the user is told', () => {
  const { panel, composer } = shown()
  panel.getComponent(QueuedMessages).vm.$emit('overtaken', 'one', 'Fix that, too.')
  expect(composer.append).toHaveBeenCalledExactlyOnceWith('Fix that, too.')
  expect(toast.add.mock.lastCall?.[0]).toMatchObject({ title: 'The message has already begun its turn' })
})

test('the view goes to the end as a message is sent, and stays where the reader goes during the request', async () => {
  const { field, toEnd } = shown()
  field.vm.$emit('sending')
  expect(toEnd).toHaveBeenCalledTimes(1)
  field.vm.$emit('sent')
  await flushPromises()
  expect(toEnd).toHaveBeenCalledTimes(1)
})

test('an interrupt is of the turn that the user saw, and the next turn can be interrupted also if its answer is late', async () => {
  const { promise, resolve } = Promise.withResolvers<Conversation>()
  vi.mocked(interruptConversation).mockReturnValueOnce(promise)
  const { conversation, field } = shown()
  field.vm.$emit('interrupt')
  await nextTick()
  expect(field.props('isInterrupting')).toBe(true)
  conversation.value = during('second')
  await nextTick()
  resolve(during('second'))
  await flushPromises()
  expect(field.props('isInterrupting')).toBe(false)
  field.vm.$emit('interrupt')
  await flushPromises()
  expect(vi.mocked(interruptConversation).mock.calls).toEqual([
    ['c', 'first'],
    ['c', 'second'],
  ])
  expect(field.props('isInterrupting')).toBe(true)
})

test('a turn whose interrupt failed can be interrupted again', async () => {
  vi.mocked(interruptConversation).mockRejectedValueOnce(new ApiError(503, 'ENGINE_UNAVAILABLE', 'No engine.'))
  const { field } = shown()
  field.vm.$emit('interrupt')
  await flushPromises()
  expect(field.props('isInterrupting')).toBe(false)
  expect(toast.add.mock.lastCall?.[0]).toMatchObject({ title: 'Could not interrupt the turn' })
})
