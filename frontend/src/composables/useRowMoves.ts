import type { Ref } from 'vue'

/** Moves the focus through the rows of a list, which are links. It begins at the row of the open page. */
export function useRowMoves(list: Readonly<Ref<HTMLElement | null>>, selector: string) {
  function move(step: 1 | -1): void {
    const rows = [...(list.value?.querySelectorAll<HTMLElement>(selector) ?? [])]
    const focused = rows.findIndex((row) => row === document.activeElement)
    const open = rows.findIndex((row) => row.getAttribute('aria-current') === 'page')
    const from = focused === -1 ? open : focused
    const next = rows[from === -1 ? 0 : Math.min(Math.max(from + step, 0), rows.length - 1)]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    move(event.key === 'ArrowDown' ? 1 : -1)
  }
  return { move, onKey }
}
