import type { VirtualizerHandle } from 'virtua/vue'
import { nextTick, ref, type Ref, watch } from 'vue'

/** The view follows new rows if it is at most this far from the end, in pixels. */
const NEAR_END = 48
/** Keys that scroll up. */
const UPWARDS = new Set(['ArrowUp', 'PageUp', 'Home'])
/** How long a swipe, or the scroll bar, keeps the view moving, in milliseconds. */
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
  function lookUp(): void {
    if ((list.value?.scrollOffset ?? 0) > 0) letGo()
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
    else if (!isUp && !isAway.value) following.value = true
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
    onWheel: (event: WheelEvent): void => void (event.deltaY < 0 && lookUp()),
    onKey: (event: KeyboardEvent): void => void (UPWARDS.has(event.key) && lookUp()),
    onDrag: (): void => void (draggedAt = performance.now()),
  }
}
