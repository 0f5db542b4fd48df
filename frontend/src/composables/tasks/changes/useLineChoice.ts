import { useEventListener } from '@vueuse/core'
import { computed, nextTick, ref } from 'vue'

/** Lines of a patch, by their index. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

const lineAt = (target: EventTarget | null): number | null => {
  const line = target instanceof Element ? target.closest<HTMLElement>('[data-line]')?.dataset['line'] : undefined
  return line === undefined ? null : Number(line)
}

/**
 * The lines that a user chooses for a comment: with a click on a line's number, a drag over several, a click with Shift for
 * the last one, or the arrow keys, with Shift for several, and Enter.
 */
export function useLineChoice(element: () => HTMLElement | null) {
  const anchor = ref<number | null>(null)
  const head = ref<number | null>(null)
  /** The line whose number the Tab key reaches. */
  const current = ref<number | null>(null)
  const isOpen = ref(false)
  let isDragging = false

  const range = computed<LineRange | null>(() =>
    anchor.value === null || head.value === null
      ? null
      : { from: Math.min(anchor.value, head.value), to: Math.max(anchor.value, head.value) },
  )

  function choose(line: number, isFurther: boolean): void {
    if (!isFurther || anchor.value === null) anchor.value = line
    head.value = line
    current.value = line
  }

  function clear(): void {
    anchor.value = null
    head.value = null
    isOpen.value = false
  }

  /** Takes other indexes for the choice, in a patch that was read again. Null: its lines are not there any more. */
  function move(place: LineRange | null): void {
    const isUpwards = (anchor.value ?? 0) > (head.value ?? 0)
    if (place === null) clear()
    else [anchor.value, head.value] = isUpwards ? [place.to, place.from] : [place.from, place.to]
    current.value = head.value
  }

  const isNumber = (target: EventTarget | null): boolean =>
    target instanceof Element && target.closest('[data-number]') !== null

  function onPointerdown(event: PointerEvent): void {
    const line = lineAt(event.target)
    if (line === null || event.button !== 0 || !isNumber(event.target)) return
    // A finger has no Shift key, so its second line is the last one.
    choose(line, event.shiftKey || (event.pointerType === 'touch' && isOpen.value))
    isDragging = event.pointerType === 'mouse'
    isOpen.value = event.pointerType === 'touch' || event.shiftKey
    if (event.shiftKey) event.preventDefault()
  }
  function onPointerover(event: PointerEvent): void {
    const line = isDragging ? lineAt(event.target) : null
    if (line !== null) head.value = line
  }
  useEventListener(window, 'pointerup', () => {
    if (isDragging) isOpen.value = true
    isDragging = false
  })

  function onKeydown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && range.value !== null) {
      event.preventDefault()
      event.stopPropagation()
      clear()
      return
    }
    const line = isNumber(event.target) ? lineAt(event.target) : null
    if (line === null) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      const chosen = range.value
      if (chosen === null || line < chosen.from || line > chosen.to) choose(line, false)
      isOpen.value = true
      return
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const numbers = [...(element()?.querySelectorAll<HTMLElement>('[data-number]') ?? [])]
    const column = (event.target as Element).closest<HTMLElement>('[data-side]')?.dataset['side']
    const inColumn = numbers.filter((one) => one.closest<HTMLElement>('[data-side]')?.dataset['side'] === column)
    const step = event.key === 'ArrowDown' ? 1 : -1
    const next = inColumn[inColumn.indexOf(event.target as HTMLElement) + step]
    const nextLine = lineAt(next ?? null)
    if (next === undefined || nextLine === null) return
    if (event.shiftKey) {
      if (anchor.value === null) choose(line, false)
      choose(nextLine, true)
    } else {
      if (!isOpen.value) clear()
      current.value = nextLine
    }
    void nextTick(() => next.focus())
  }

  return { range, current, isOpen, clear, move, onPointerdown, onPointerover, onKeydown }
}
