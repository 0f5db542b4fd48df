import { useLocalStorage, useWindowSize } from '@vueuse/core'
import { computed, type WritableComputedRef } from 'vue'

/** Least height of an open dock, in pixels: its tabs and a few lines. */
const MIN = 160
const DEFAULT = 280
/** Largest part of the window, so that the page above stays useful. */
const PART_MAX = 0.7
/** How far an arrow key moves the edge, in pixels. */
const STEP = 24

/** The height of the dock, and whether it is unfolded. This browser remembers both. */
export function useDockSize() {
  const kept = useLocalStorage('slipway-dock', { height: DEFAULT, isOpen: true }, { mergeDefaults: true })
  const { height: windowHeight } = useWindowSize()
  const max = computed(() => Math.max(MIN, Math.round(windowHeight.value * PART_MAX)))
  const height: WritableComputedRef<number> = computed({
    get: () => Math.min(Math.max(kept.value.height, MIN), max.value),
    set: (px) => (kept.value.height = Math.round(Math.min(Math.max(px, MIN), max.value))),
  })
  const isOpen = computed({
    get: () => kept.value.isOpen,
    set: (open) => (kept.value.isOpen = open),
  })

  /** Follows the pointer until it is released. */
  function onDrag(event: PointerEvent): void {
    const handle = event.currentTarget
    if (!(handle instanceof HTMLElement) || event.button !== 0) return
    event.preventDefault()
    handle.setPointerCapture(event.pointerId)
    const from = height.value + event.clientY
    const move = ({ clientY }: PointerEvent): void => void (height.value = from - clientY)
    handle.addEventListener('pointermove', move)
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true })
  }

  function onKey(event: KeyboardEvent): void {
    const to = { ArrowUp: height.value + STEP, ArrowDown: height.value - STEP, Home: MIN, End: max.value }[event.key]
    if (to === undefined) return
    event.preventDefault()
    height.value = to
  }

  return { isOpen, height, min: MIN, max, onDrag, onKey }
}
