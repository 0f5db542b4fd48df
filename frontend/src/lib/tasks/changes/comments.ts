/** Comments on changed lines, until they are sent. This browser keeps them, of one user at a time. */
import { keptByTask } from '@/lib/browser/keptByTask.ts'
import { isRecord } from '@/lib/isRecord.ts'
import type { PatchLine } from './patch.ts'

/** Most tasks with comments. Those of the oldest one are dropped. */
export const TASKS_MAX = 20
/** Most comments on one task. */
export const COMMENTS_MAX = 100
/** Longest comment, in UTF-16 code units. */
export const COMMENT_MAX = 4000
/** Most lines that one comment is about. */
export const QUOTED_MAX = 60
/** Longest line of a quote, in UTF-16 code units. */
const LINE_MAX = 400

export interface DiffComment {
  readonly id: string
  readonly path: string
  /** Line numbers after the change, or before it if all of the lines were removed. */
  readonly from: number
  readonly to: number
  readonly isBefore: boolean
  /** The lines with their marks, as a diff has them. */
  readonly quote: readonly string[]
  readonly text: string
}

const MARKS = { added: '+', removed: '-', same: ' ', hunk: '', note: '' } as const
const isCode = ({ kind }: PatchLine): boolean => kind !== 'hunk' && kind !== 'note'
const marked = ({ kind, text }: PatchLine): string => `${MARKS[kind]}${text.slice(0, LINE_MAX)}`

/** What a comment on these lines of a patch says of them; null without a line. More than {@link QUOTED_MAX} are cut. */
export function placeOf(
  lines: readonly PatchLine[],
  from: number,
  to: number,
): Pick<DiffComment, 'from' | 'to' | 'isBefore' | 'quote'> | null {
  const chosen = lines
    .slice(from, to + 1)
    .filter(isCode)
    .slice(0, QUOTED_MAX)
  const after = chosen.flatMap((line) => line.after ?? [])
  const numbers = after.length > 0 ? after : chosen.flatMap((line) => line.before ?? [])
  const [first] = numbers
  if (first === undefined) return null
  return { from: first, to: numbers.at(-1) ?? first, isBefore: after.length === 0, quote: chosen.map(marked) }
}

/** What a comment is about. */
type CommentPlace = Pick<DiffComment, 'from' | 'to' | 'quote'>

/** Indexes of lines in a patch. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Where the patch has the lines of a quote, with what a comment would say of them. */
function placesOf(lines: readonly PatchLine[], quote: readonly string[]): { at: Range; place: CommentPlace }[] {
  const code = lines.flatMap((line, at) => (isCode(line) ? [{ at, text: marked(line) }] : []))
  const found: { at: Range; place: CommentPlace }[] = []
  for (let start = 0; start + quote.length <= code.length; start += 1) {
    if (!quote.every((text, nth) => code[start + nth]?.text === text)) continue
    const at = { from: code[start]?.at ?? 0, to: code[start + quote.length - 1]?.at ?? 0 }
    const place = placeOf(lines, at.from, at.to)
    if (place !== null) found.push({ at, place })
  }
  return found
}

/** The index of the last line that a comment is about, or null if these lines are not in the patch any more. */
export const lastLineOf = (lines: readonly PatchLine[], { quote, from, to }: CommentPlace): number | null =>
  placesOf(lines, quote).find(({ place }) => place.from === from && place.to === to)?.at.to ?? null

/**
 * The indexes of the lines that a comment is about which is being written, also if lines before them have come or gone: the
 * nearest ones with the same text. Null: there are none.
 */
export function linesNear(lines: readonly PatchLine[], { quote, from }: CommentPlace): Range | null {
  const distance = (found: { place: CommentPlace }): number => Math.abs(found.place.from - from)
  return placesOf(lines, quote).toSorted((a, b) => distance(a) - distance(b))[0]?.at ?? null
}

/** Such as `src/a.ts:3-5`. */
export const nameOf = ({ path, from, to }: Pick<DiffComment, 'path' | 'from' | 'to'>): string =>
  `${path}:${from}${to > from ? `-${to}` : ''}`

/** A fence that no line of the quote can close. */
function fenceOf(quote: readonly string[]): string {
  const longest = Math.max(2, ...quote.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)))
  return '`'.repeat(longest + 1)
}

/** The lines that a comment is about. */
function headOf(comment: DiffComment): string {
  const fence = fenceOf(comment.quote)
  const place = `${nameOf(comment)}${comment.isBefore ? ' (removed)' : ''}`
  return [place, `${fence}diff`, ...comment.quote, fence].join('\n')
}
/** A comment below the lines that it is about. */
const partOf = (comment: DiffComment): string => `${headOf(comment)}\n${comment.text}`

/** The next prompt of the conversation: each comment below the lines that it is about. */
export function promptOf(comments: readonly DiffComment[]): string {
  const count = comments.length === 1 ? 'a comment' : `${comments.length} comments`
  return [`I have ${count} on the changes.`, ...comments.map(partOf)].join('\n\n')
}

/** A field of a page has no other ends of lines, and its user may remove space at the end. */
const comparable = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trimEnd()

/** Those comments that a text has as {@link promptOf} writes them. The user may have changed their words in the text. */
export function quotedIn(comments: readonly DiffComment[], text: string): readonly DiffComment[] {
  let rest = comparable(text)
  // Two comments may be about the same lines.
  const take = (part: string): boolean => {
    const at = rest.indexOf(part)
    if (at !== -1) rest = `${rest.slice(0, at)}${rest.slice(at + part.length)}`
    return at !== -1
  }
  const asWritten = comments.filter((comment) => take(comparable(partOf(comment))))
  return comments.filter((comment) => asWritten.includes(comment) || take(comparable(headOf(comment))))
}

/** What another version of this page has stored may have other fields. */
function commentFrom(value: unknown): DiffComment[] {
  if (!isRecord(value)) return []
  const { id, path, from, to, isBefore, quote, text } = value
  if (typeof id !== 'string' || typeof path !== 'string' || typeof text !== 'string') return []
  if (typeof from !== 'number' || typeof to !== 'number' || !Array.isArray(quote)) return []
  const lines = quote.filter((line): line is string => typeof line === 'string')
  return [{ id, path, from, to, isBefore: isBefore === true, quote: lines, text }]
}

const kept = keptByTask<readonly DiffComment[]>({
  ...{ name: 'slipway-diff-comments', list: 'tasks', max: TASKS_MAX },
  read: (stored) => (Array.isArray(stored) ? stored.flatMap(commentFrom) : null),
})

export const { isOf: isOfComments, forget: forgetComments } = kept

/** A user's comments on a task that are not sent yet. */
export const commentsOf = (userId: string, task: string): readonly DiffComment[] => kept.of(userId, task) ?? []

export const keepComments = (userId: string, task: string, comments: readonly DiffComment[]): void =>
  kept.keep(userId, task, comments.length === 0 ? null : comments.slice(0, COMMENTS_MAX))
