// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils'
import { effectScope, type EffectScope } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { usePolling } from './usePolling.ts'

const EVERY_MS = 1_000
let scope: EffectScope
/** The requests that wait for their answer. */
let asked: { resolve: (answer: string) => void; reject: (cause: unknown) => void }[] = []
const read = vi.fn(() => {
  const { promise, ...answer } = Promise.withResolvers<string>()
  asked.push(answer)
  return promise
})
const poll = (wanted = true) => scope.run(() => usePolling(read, EVERY_MS, () => wanted))!

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  read.mockClear()
  asked = []
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

it('a refresh during a request is read after it, once, and waits for that answer', async () => {
  const { data, refresh } = poll()
  await flushPromises()
  const over = vi.fn()
  void refresh().then(over)
  void refresh()
  asked[0]!.resolve('old')
  await flushPromises()
  expect([data.value, asked.length, over.mock.calls.length]).toEqual(['old', 2, 0])
  asked[1]!.resolve('new')
  await flushPromises()
  expect([data.value, asked.length, over.mock.calls.length]).toEqual(['new', 2, 1])
})

it('a refresh during a request that fails is read all the same', async () => {
  const { data, error, refresh } = poll()
  await flushPromises()
  void refresh()
  asked[0]!.reject(new Error('lost'))
  await flushPromises()
  expect([asked.length, error.value === null]).toEqual([2, false])
  asked[1]!.resolve('new')
  await flushPromises()
  expect([data.value, error.value]).toEqual(['new', null])
})

it('a slow request is not asked again by the time that passes', async () => {
  poll()
  await flushPromises()
  vi.advanceTimersByTime(3 * EVERY_MS)
  asked[0]!.resolve('late')
  await flushPromises()
  expect(read).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(EVERY_MS)
  await flushPromises()
  expect(read).toHaveBeenCalledTimes(2)
})

it('what asks in one moment shares a request', async () => {
  const { refresh } = poll()
  void refresh()
  await flushPromises()
  expect(read).toHaveBeenCalledTimes(1)
})

it('a page that was left reads nothing more, and takes no late answer', async () => {
  const { data, refresh } = poll(false)
  void refresh()
  await flushPromises()
  void refresh()
  scope.stop()
  asked[0]!.resolve('late')
  await flushPromises()
  expect([data.value, read.mock.calls.length]).toEqual([null, 1])
})
