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
  /** If all rows fit, there is nothing above to look at. */
  function letGo(): void {
    const view = list.value
    if (!following.value || view === null || view.scrollSize <= view.viewportSize) return
    following.value = false
    stoppedAt.value = count()
  }
  function onScroll(offset: number): void {
    const isUp = offset < top
    top = offset
    if (isUp && performance.now() - draggedAt < DRAG_MS) letGo()
    else if (!isUp && isAtEnd()) following.value = true
  }

  watch(count, () => void nextTick(stick), { flush: 'post', immediate: true })
  return {
    following,
    stoppedAt,
    toEnd,
    letGo,
    stick,
    onScroll,
    onWheel: (event: WheelEvent): void => void (event.deltaY < 0 && letGo()),
    onKey: (event: KeyboardEvent): void => void (UPWARDS.has(event.key) && letGo()),
    onDrag: (): void => void (draggedAt = performance.now()),
  }
}
