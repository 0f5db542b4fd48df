import type { VirtualizerHandle } from 'virtua/vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, shallowRef } from 'vue'
import { useTail } from './useTail.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A list of 1,000 pixels in a view of 100, at its end, and what is called to go there again. */
const atEnd = () => {
  const view = { scrollSize: 1000, scrollOffset: 900, viewportSize: 100, scrollToIndex: vi.fn() }
  const list = shallowRef(view as unknown as VirtualizerHandle)
  const scope = effectScope()
  const tail = scope.run(() => useTail(list, () => 50))!
  tail.onScroll(900)
  const scrolls = (offset: number): void => {
    view.scrollOffset = offset
    tail.onScroll(offset)
  }
  return { ...tail, view, scrolls, stop: () => scope.stop() }
}
const key = (name: string) => ({ key: name, preventDefault: () => undefined }) as KeyboardEvent

it('stays where a key leads although the scroll event of an earlier move to the end comes late', () => {
  const { onKey, onResize, scrolls, following, view, stop } = atEnd()
  onKey(key('Home'))
  expect(view.scrollToIndex).toHaveBeenLastCalledWith(0)
  scrolls(900)
  expect(following.value).toBe(false)
  scrolls(0)
  view.scrollToIndex.mockClear()
  onResize()
  expect([following.value, view.scrollToIndex.mock.calls.length]).toEqual([false, 0])
  stop()
})

it('follows again once its reader is back at the end, at once with a key and later by any way', () => {
  const { onKey, scrolls, following, stop } = atEnd()
  onKey(key('Home'))
  scrolls(0)
  onKey(key('End'))
  scrolls(900)
  expect(following.value).toBe(true)
  onKey(key('PageUp'))
  scrolls(800)
  vi.advanceTimersByTime(1_000)
  scrolls(900)
  expect(following.value).toBe(true)
  stop()
})
