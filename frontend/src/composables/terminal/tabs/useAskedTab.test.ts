import { afterEach, expect, test, vi } from 'vitest'
import { effectScope, nextTick, reactive, ref } from 'vue'
import { useAskedTab, withTab } from './useAskedTab.ts'

const route = reactive<{ path: string; hash: string; query: Record<string, string> }>({
  ...{ path: '/agents/a', hash: '', query: {} },
})
const replace = vi.fn(({ query }: { query: Record<string, string> }) => (route.query = query))
vi.mock('vue-router', () => ({ useRoute: () => route, useRouter: () => ({ replace }) }))

afterEach(() => {
  route.query = {}
})

test('the tab that an address asks for comes to the front once there is one, and leaves the address', async () => {
  const names = ref([''])
  const visible = ref(false)
  const activate = vi.fn<(name: string) => void>()
  const openFirst = vi.fn<() => void>()
  const scope = effectScope()
  scope.run(() => useAskedTab({ visible: () => visible.value, names: () => names.value, activate, openFirst }))
  route.query = { tab: 'far', view: 'x' }
  visible.value = true
  await nextTick()
  expect(activate).not.toHaveBeenCalled()
  names.value = ['', 'far']
  await nextTick()
  expect(activate).toHaveBeenCalledExactlyOnceWith('far')
  expect(route.query).toEqual({ view: 'x' })
  scope.stop()
})

test('the terminal without a name can be asked for, too', () => {
  expect(withTab('/agents/a', '')).toEqual({ path: '/agents/a', query: { tab: '' } })
})

test('the terminal without a name is opened again if the address asks for a task in it', async () => {
  const names = ref(['bash'])
  const activate = vi.fn<(name: string) => void>()
  const openFirst = vi.fn<() => void>()
  const scope = effectScope()
  route.query = { tab: '' }
  scope.run(() => useAskedTab({ visible: () => true, names: () => names.value, activate, openFirst }))
  expect(openFirst).not.toHaveBeenCalled()
  route.query = { tab: '', task: '1' }
  await nextTick()
  expect(openFirst).toHaveBeenCalledOnce()
  expect(route.query).toEqual({ task: '1' })
  scope.stop()
})
