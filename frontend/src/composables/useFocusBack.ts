import { useEventListener } from '@vueuse/core'
import { onScopeDispose, type Ref } from 'vue'

/** Remembers what had the focus before a part of the page, which can give it back. Does so when the part is gone. */
export function useFocusBack(part: Readonly<Ref<HTMLElement | null>>) {
  let before: Element | null = null
  let isInside = false

  useEventListener(part, 'focusin', ({ relatedTarget }: FocusEvent) => {
    isInside = true
    if (!(relatedTarget instanceof Element) || part.value?.contains(relatedTarget) !== true)
      before = relatedTarget instanceof Element ? relatedTarget : null
  })
  useEventListener(part, 'focusout', ({ relatedTarget }: FocusEvent) => {
    isInside = relatedTarget instanceof Node && part.value?.contains(relatedTarget) === true
  })

  function giveBack(): void {
    if (before instanceof HTMLElement && before.isConnected) before.focus()
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  }
  onScopeDispose(() => isInside && giveBack())
  return { giveBack }
}
