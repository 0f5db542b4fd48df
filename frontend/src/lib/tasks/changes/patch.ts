import { withDirectionsInSight } from '@/lib/format/directions.ts'

/** A line of a unified diff. */
export interface PatchLine {
  readonly kind: 'same' | 'added' | 'removed' | 'hunk' | 'note'
  /** Numbers of the line before and after; null where it does not exist. */
  readonly before: number | null
  readonly after: number | null
  readonly text: string
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/

/** The lines of one file's patch, without its header. */
export function linesOf(patch: string): PatchLine[] {
  const lines: PatchLine[] = []
  let [before, after] = [0, 0]
  let isInside = false
  for (const line of withDirectionsInSight(patch).replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line)
    if (hunk) {
      isInside = true
      before = Number(hunk[1])
      after = Number(hunk[2])
      lines.push({
        kind: 'hunk',
        before: null,
        after: null,
        text: `Line ${after === 0 ? before : after}${hunk[3] ? ` · ${hunk[3]}` : ''}`,
      })
    } else if (isInside) {
      const [mark, text] = [line.charAt(0), line.slice(1)]
      if (mark === '+') lines.push({ kind: 'added', before: null, after: after++, text })
      else if (mark === '-') lines.push({ kind: 'removed', before: before++, after: null, text })
      else if (mark === '\\') lines.push({ kind: 'note', before: null, after: null, text: text.trim() })
      else lines.push({ kind: 'same', before: before++, after: after++, text })
    }
  }
  return lines
}
