import type { Dialog } from '@slipway/protocol'
import { computed, nextTick, reactive, type Ref, watch } from 'vue'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'

/** Most questions that stay after they were answered elsewhere. The events of their tasks tell of all of them. */
const CLOSED_MAX = 5

/**
 * The questions that a part of a page shows: those that are open, and the last that were answered elsewhere while it
 * showed them, until the reader dismisses them. When the card with the focus leaves `list`, the focus goes to the next one, or to
 * the element that `after` selects.
 */
export function useShownDialogs(
  isAsked: (dialog: Dialog) => boolean,
  list: Readonly<Ref<HTMLElement | null>>,
  after: string,
) {
  const dialogs = useDialogsStore()
  const seen = reactive(new Set<string>())

  watch(
    () => dialogs.open.filter(isAsked),
    (now) => now.forEach(({ id }) => seen.add(id)),
    { immediate: true },
  )
  const shown = computed(() => {
    const asked = dialogs.all.filter(isAsked)
    const closed = asked.filter(({ id, state }) => state !== 'open' && seen.has(id) && !dialogs.answeredHere.has(id))
    const newest = closed.toSorted((a, b) => (b.closedAt ?? '').localeCompare(a.closedAt ?? ''))
    const kept = new Set(newest.slice(0, CLOSED_MAX).map(({ id }) => id))
    return asked.filter(({ id, state }) => state === 'open' || kept.has(id))
  })

  watch(shown, (now, before) => {
    const left = before.filter(({ id }) => !now.some((one) => one.id === id))
    const had = left.some(({ id }) =>
      list.value?.querySelector(`[data-dialog="${id}"]`)?.contains(document.activeElement),
    )
    if (!had) return
    void nextTick(() => {
      const next = list.value?.querySelector<HTMLElement>('[data-dialog]') ?? document.querySelector(after)
      if (next instanceof HTMLElement) next.focus()
    })
  })

  return { shown, dismiss: (id: string): void => void seen.delete(id) }
}
