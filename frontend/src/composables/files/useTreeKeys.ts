import type { EntryRow } from '@/lib/files/tree.ts'
import type { Tree } from './useTree.ts'

/** Rows that Page Up and Page Down pass. */
const PAGE_ROWS = 20
/** How long letters of a name may be apart, in milliseconds. */
const TYPED_MS = 800

interface Acts {
  readonly choose: (row: EntryRow) => void
  readonly act: (act: 'rename' | 'delete') => void
}

/** The keys of a tree (ARIA Authoring Practices, tree view): arrows, Home, End, Enter, and the letters of a name. */
export function useTreeKeys({ rows, current, at, expand, collapse }: Tree, acts: Acts) {
  let typed = ''
  let typedAt = Number.NEGATIVE_INFINITY

  /** The nearest entry from a row on, in one direction. */
  function entryFrom(from: number, step: 1 | -1): EntryRow | null {
    for (let nth = from; nth >= 0 && nth < rows.value.length; nth += step) {
      const row = rows.value[nth]
      if (row?.type === 'entry') return row
    }
    return null
  }
  function go(row: EntryRow | null): void {
    if (row !== null) current.value = row.path
  }
  const clamp = (nth: number): number => Math.min(Math.max(nth, 0), rows.value.length - 1)

  function parentOf({ depth }: EntryRow): EntryRow | null {
    for (let nth = at.value - 1; nth >= 0; nth -= 1) {
      const row = rows.value[nth]
      if (row?.type === 'entry' && row.depth < depth) return row
    }
    return null
  }

  function find(letter: string, now: number): void {
    typed = now - typedAt > TYPED_MS ? letter : typed + letter
    typedAt = now
    const count = rows.value.length
    // One letter goes to the next name, and further letters stay at a name that still fits.
    const first = typed.length === 1 ? 1 : 0
    for (let nth = first; nth <= count; nth += 1) {
      const row = rows.value[(Math.max(at.value, 0) + nth) % count]
      if (row?.type === 'entry' && row.name.toLowerCase().startsWith(typed.toLowerCase())) return go(row)
    }
  }

  /** Nothing is done with a row that is out of sight. */
  const withRow = (act: (row: EntryRow) => void) => (): void => {
    const row = rows.value[at.value]
    if (row?.type === 'entry') act(row)
  }

  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(entryFrom(at.value + 1, 1)),
      ArrowUp: () => go(entryFrom(at.value - 1, -1)),
      PageDown: () => go(entryFrom(clamp(at.value + PAGE_ROWS), -1)),
      PageUp: () => go(entryFrom(clamp(at.value - PAGE_ROWS), 1)),
      Home: () => go(entryFrom(0, 1)),
      End: () => go(entryFrom(rows.value.length - 1, -1)),
      ArrowRight: withRow(({ kind, isOpen, path }) => {
        if (kind !== 'folder') return
        if (isOpen) go(entryFrom(at.value + 1, 1))
        else expand(path)
      }),
      ArrowLeft: withRow((row) => (row.isOpen ? collapse(row.path) : go(parentOf(row)))),
      Enter: withRow(acts.choose),
      ' ': withRow(acts.choose),
      F2: withRow(() => acts.act('rename')),
      Delete: withRow(() => acts.act('delete')),
    }
    const key = keys[event.key]
    if (key === undefined && event.key.length !== 1) return
    event.preventDefault()
    // Letters are also shortcuts of the whole page.
    event.stopPropagation()
    if (key === undefined) find(event.key, event.timeStamp)
    else key()
  }
}
