import { useToast } from '@nuxt/ui/composables'
import type { Participant } from '@slipway/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { createApp, effectScope, nextTick } from 'vue'
import { useCompany } from './useCompany.ts'

const person = (id: string, more: Partial<Participant> = {}): Participant => ({
  id,
  name: `${id}@example.org`,
  isHolder: id === 'ann',
  hasControl: false,
  mayControl: true,
  asks: false,
  ...more,
})
const ann = person('ann', { hasControl: true })
const bob = person('bob')
const cleo = person('cleo')

/** The page of one participant in Ann's session. */
function setUp(you: string) {
  const app = createApp({})
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const done: string[] = []
  return app.runWithContext(() => {
    const toast = useToast()
    toast.clear()
    const used = scope.run(() =>
      useCompany({
        isOwn: you === 'ann',
        agentName: () => 'harbour',
        connected: () => true,
        visible: () => true,
        ask: (asks) => done.push(`asks: ${String(asks)}`),
        give: (to) => done.push(`gives ${to}`),
        decline: (to) => done.push(`declines ${to}`),
      }),
    )!
    const hear = (people: Participant[], refusal?: string): void =>
      used.onPeople({ type: 'people', you, people, ...(refusal !== undefined && { refusal }) })
    return { ...used, done, hear, toasts: toast.toasts }
  })
}
type Toasts = ReturnType<typeof setUp>['toasts']

/** Toasts appear one at a time. */
const shown = async (toasts: Toasts) => {
  await nextTick()
  return toasts.value.map(({ title, description, actions }) => [title, description, actions?.length ?? 0])
}

test('a user who asks for control is shown until the server says that the question is over', () => {
  const { asking, decline, hear, done } = setUp('ann')
  hear([ann, { ...bob, asks: true }, { ...cleo, asks: true }])
  expect(asking.value?.id).toBe('bob')
  decline('bob')
  expect([asking.value?.id, done]).toEqual(['bob', ['declines bob']])
  hear([ann, bob, { ...cleo, asks: true }])
  expect(asking.value?.id).toBe('cleo')
  hear([ann, bob, cleo])
  expect(asking.value).toBeNull()
})

test('the owner of a terminal may type again, and sees no one, when a restarted server tells them that they are alone', () => {
  const { hasControl, others, asking, mayType, hear, toasts } = setUp('ann')
  hear([person('ann'), { ...bob, hasControl: true }])
  toasts.value = []
  expect(hasControl.value).toBe(false)
  hear([ann])
  expect([hasControl.value, others.value, asking.value, mayType()]).toEqual([true, [], null, true])
  expect(toasts.value).toEqual([])
})

test('a guest who asked is told who declined, and may ask again', async () => {
  const { company, hear, toasts } = setUp('bob')
  hear([ann, { ...bob, asks: true }])
  hear([ann, bob], 'ann@example.org said: not now.')
  expect(company.value?.you.asks).toBe(false)
  expect(await shown(toasts)).toEqual([['Control did not change', 'ann@example.org said: not now.', 0]])
})

test('a guest who types without control may ask for it, unless no user is there to answer', async () => {
  const there = setUp('bob')
  there.hear([ann, bob])
  there.mayType()
  expect(await shown(there.toasts)).toEqual([['ann@example.org has control', 'Your input is not sent.', 1]])
  const alone = setUp('bob')
  alone.hear([bob])
  alone.mayType()
  expect(await shown(alone.toasts)).toEqual([['You are watching', 'Your input is not sent.', 0]])
})
