/** Which changes a user has accepted. This browser keeps it, of one user at a time. The work tree does not change. */
import type { ChangedFile } from '@slipway/protocol'
import { hashOf } from '@/lib/hash.ts'
import { linesOf, type PatchLine } from './patch.ts'

const NAME = 'slipway-reviewed'
/** Most accepted changes. The oldest ones are forgotten. */
export const MARKS_MAX = 2000

/**
 * A mark for each hunk of a file, or one for a file without hunks. It is another one as soon as the change is another. The
 * line numbers do not count, since they change with the hunks before.
 */
export function marksOf(place: string, file: ChangedFile): readonly string[] {
  const { path, status, size, patch } = file
  const hunks: PatchLine[][] = []
  for (const line of patch === null ? [] : linesOf(patch)) {
    if (line.kind === 'hunk') hunks.push([])
    else hunks.at(-1)?.push(line)
  }
  if (hunks.length === 0) return [hashOf(JSON.stringify([place, path, status, size, patch]))]
  return hunks.map((lines) => hashOf(JSON.stringify([place, path, lines.map(({ kind, text }) => [kind, text])])))
}

/** What a browser without storage keeps. It lasts as long as the page. */
let ofPage: { readonly userId: string; readonly marks: readonly string[] } | null = null

/** The marks of the changes that a user has accepted. */
export function acceptedBy(userId: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(NAME) ?? 'null')
    if (typeof found === 'object' && found !== null && 'userId' in found && 'marks' in found) {
      const { userId: of, marks } = found
      if (of === userId && Array.isArray(marks)) return marks.filter((mark): mark is string => typeof mark === 'string')
    }
  } catch {
    // There is no storage, or something else is in it.
  }
  return ofPage?.userId === userId ? ofPage.marks : []
}

export function keepAccepted(userId: string, marks: readonly string[]): void {
  ofPage = { userId, marks: marks.slice(-MARKS_MAX) }
  try {
    localStorage.setItem(NAME, JSON.stringify(ofPage))
  } catch {
    // The storage is full or closed. The page keeps them.
  }
}

/** For a user who signs out: the next one at this computer reads nothing of it. */
export function forgetAccepted(): void {
  ofPage = null
  try {
    localStorage.removeItem(NAME)
  } catch {
    // There is no storage, so there is nothing to remove.
  }
}
