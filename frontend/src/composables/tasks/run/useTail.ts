import type { VirtualizerHandle } from 'virtua/vue'
import { nextTick, ref, type Ref, watch } from 'vue'

/** The view follows new rows if it is at most this far from the end, in pixels. */
const NEAR_END = 48
/** Keys that scroll up. */
const UPWARDS = new Set(['ArrowUp', 'PageUp'])
/** How long a swipe, the scroll bar, a key or the wheel keeps the view moving, in milliseconds. */
const DRAG_MS = 1_000

/**
 * Keeps a virtual list at its end until the reader scrolls up. A row has its real height only once it is drawn, so the
 * end moves while the view gets there: `onResize` goes after it.
 */
export function useTail(list: Readonly<Ref<VirtualizerHandle | null>>, count: () => number) {
  const following = ref(true)
  /** Whether there are rows below the view. */
  const isAway = ref(false)
  /** The number of rows when the view stopped following. */
  const stoppedAt = ref(0)
  let draggedAt = -DRAG_MS
  /** When the reader wanted to go up. The scroll event of an earlier move to the end may come after that. */
  let upwardsAt = -DRAG_MS
  let top = 0

  const isAtEnd = (): boolean => {
    const view = list.value
    return view === null || view.scrollSize - view.scrollOffset - view.viewportSize < NEAR_END
  }
  function stick(): void {
    if (following.value && count() > 0) list.value?.scrollToIndex(count() - 1, { align: 'end' })
  }
  function toEnd(): void {
    following.value = true
    stick()
  }
  function letGo(): void {
    if (!following.value) return
    following.value = false
    stoppedAt.value = count()
  }
  /** If all rows fit, there is nothing above to look at. */
  function look(isUp: boolean): void {
    if (!isUp) upwardsAt = -DRAG_MS
    else if ((list.value?.scrollOffset ?? 0) > 0) {
      upwardsAt = performance.now()
      letGo()
    }
  }
  /** The browser's own way to the beginning or the end stops where rows get their real heights. */
  function onKey(event: KeyboardEvent): void {
    const { key } = event
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey
    if (key === 'Home' && isPlain) {
      event.preventDefault()
      look(true)
      list.value?.scrollToIndex(0)
    } else if (key === 'End' && isPlain) {
      event.preventDefault()
      toEnd()
    } else look(UPWARDS.has(key))
  }
  function onResize(): void {
    stick()
    isAway.value = !isAtEnd()
  }
  function onScroll(offset: number): void {
    const isUp = offset < top
    top = offset
    isAway.value = !isAtEnd()
    if (isUp && performance.now() - draggedAt < DRAG_MS) letGo()
    else if (!isUp && !isAway.value && performance.now() - upwardsAt >= DRAG_MS) following.value = true
  }

  watch(count, () => void nextTick(stick), { flush: 'post', immediate: true })
  return {
    following,
    isAway,
    stoppedAt,
    toEnd,
    letGo,
    onResize,
    onScroll,
    onWheel: (event: WheelEvent): void => look(event.deltaY < 0),
    onKey,
    onDrag: (): void => void (draggedAt = performance.now()),
  }
}
