/** Comments on changed lines, until they are sent. This browser keeps them, of one user at a time. */
import type { PatchLine } from './patch.ts'

const NAME = 'slipway-diff-comments'
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

/** The index of the last line that a comment is about, or null if these lines are not in the patch any more. */
export function lastLineOf(lines: readonly PatchLine[], { quote, from, to }: DiffComment): number | null {
  const code = lines.flatMap((line, at) => (isCode(line) ? [{ at, text: marked(line) }] : []))
  for (let start = 0; start + quote.length <= code.length; start += 1) {
    const [first, last] = [code[start]?.at ?? 0, code[start + quote.length - 1]?.at ?? 0]
    if (!quote.every((text, nth) => code[start + nth]?.text === text)) continue
    const place = placeOf(lines, first, last)
    if (place?.from === from && place.to === to) return last
  }
  return null
}

/** Such as `src/a.ts:3-5`. */
export const nameOf = ({ path, from, to }: Pick<DiffComment, 'path' | 'from' | 'to'>): string =>
  `${path}:${from}${to > from ? `-${to}` : ''}`

/** A fence that no line of the quote can close. */
function fenceOf(quote: readonly string[]): string {
  const longest = Math.max(2, ...quote.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)))
  return '`'.repeat(longest + 1)
}

/** The next prompt of the conversation: each comment below the lines that it is about. */
export function promptOf(comments: readonly DiffComment[]): string {
  const parts = comments.map((comment) => {
    const fence = fenceOf(comment.quote)
    const place = `${nameOf(comment)}${comment.isBefore ? ' (removed)' : ''}`
    return [place, `${fence}diff`, ...comment.quote, fence, comment.text].join('\n')
  })
  const count = comments.length === 1 ? 'a comment' : `${comments.length} comments`
  return [`I have ${count} on the changes.`, ...parts].join('\n\n')
}

interface Kept {
  readonly userId: string
  /** By task, the newest last. */
  readonly tasks: readonly (readonly [task: string, comments: readonly DiffComment[]])[]
}

/** What a browser without storage keeps. It lasts as long as the page. */
let ofPage: Kept | null = null

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** What another version of this page has stored may have other fields. */
function commentFrom(value: unknown): DiffComment[] {
  if (!isRecord(value)) return []
  const { id, path, from, to, isBefore, quote, text } = value
  if (typeof id !== 'string' || typeof path !== 'string' || typeof text !== 'string') return []
  if (typeof from !== 'number' || typeof to !== 'number' || !Array.isArray(quote)) return []
  const lines = quote.filter((line): line is string => typeof line === 'string')
  return [{ id, path, from, to, isBefore: isBefore === true, quote: lines, text }]
}

function keptOf(userId: string): Kept {
  const nothing = ofPage?.userId === userId ? ofPage : { userId, tasks: [] }
  try {
    const found: unknown = JSON.parse(localStorage.getItem(NAME) ?? 'null')
    if (!isRecord(found) || found['userId'] !== userId || !Array.isArray(found['tasks'])) return nothing
    const tasks = found['tasks'].flatMap((entry: unknown): Kept['tasks'] =>
      Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1])
        ? [[entry[0], entry[1].flatMap(commentFrom)]]
        : [],
    )
    return { userId, tasks }
  } catch {
    return nothing
  }
}

/** A user's comments on a task that are not sent yet. */
export const commentsOf = (userId: string, task: string): readonly DiffComment[] =>
  keptOf(userId).tasks.find(([id]) => id === task)?.[1] ?? []

export function keepComments(userId: string, task: string, comments: readonly DiffComment[]): void {
  const others = keptOf(userId).tasks.filter(([id]) => id !== task)
  const own = comments.length === 0 ? [] : [[task, comments.slice(0, COMMENTS_MAX)] as const]
  ofPage = { userId, tasks: [...others, ...own].slice(-TASKS_MAX) }
  try {
    localStorage.setItem(NAME, JSON.stringify(ofPage))
  } catch {
    // The storage is full or closed. The page keeps them.
  }
}

/** For a user who signs out: the next one at this computer reads nothing of it. */
export function forgetComments(): void {
  ofPage = null
  try {
    localStorage.removeItem(NAME)
  } catch {
    // There is no storage, so there is nothing to remove.
  }
}
