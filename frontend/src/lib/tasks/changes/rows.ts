import type { PatchLine } from './patch.ts'

/** A row of a shown patch: a heading over the whole width, or the lines that are side by side. */
export type PatchRow =
  | { readonly kind: 'hunk' | 'note'; readonly at: number; readonly hunk: number }
  /** Indexes into the patch's lines: one, or the one before and the one after. Null: there is none at this side. */
  | { readonly kind: 'lines'; readonly cells: readonly (number | null)[] }

/** One line under the other. */
export const unifiedRows = (lines: readonly PatchLine[]): PatchRow[] => {
  let hunk = -1
  return lines.map(({ kind }, at) => {
    if (kind === 'hunk') hunk += 1
    return kind === 'hunk' || kind === 'note' ? { kind, at, hunk } : { kind: 'lines', cells: [at] }
  })
}

/** The lines before at the left, those after at the right. Removed lines face the added lines that follow them. */
export function splitRows(lines: readonly PatchLine[]): PatchRow[] {
  const rows: PatchRow[] = []
  let [removed, added]: [number[], number[]] = [[], []]
  const flush = (): void => {
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1)
      rows.push({ kind: 'lines', cells: [removed[row] ?? null, added[row] ?? null] })
    removed = []
    added = []
  }
  let hunk = -1
  lines.forEach(({ kind }, at) => {
    if (kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(at)
    } else if (kind === 'added') added.push(at)
    else if (kind === 'note' && removed.length + added.length > 0) {
      // It belongs to the line before it, and must not part the two sides.
      if (added.length > 0) flush()
    } else {
      flush()
      if (kind === 'hunk') hunk += 1
      rows.push(kind === 'same' ? { kind: 'lines', cells: [at, at] } : { kind, at, hunk })
    }
  })
  flush()
  return rows
}
