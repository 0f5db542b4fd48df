/** The changes of files that Codex asks about. */
import type { Ask } from '../../headless.ts'
import { changeIn, CHANGES_MAX } from '../../parts/changes.ts'
import { bounded, type Fields, fieldsIn, listIn, textIn } from '../../parts/json.ts'

/** Longest path that is shown, in UTF-16 code units. */
const PATH_MAX = 4096

/** The change of one file. */
export interface Change {
  readonly path: string
  /** Where the file moves to; null if it stays. */
  readonly movedTo: string | null
  readonly change: 'added' | 'modified' | 'deleted'
  /** The hunks of a file that is modified, and the whole text of any other. */
  readonly text: string
}

export const changesIn = (value: unknown): readonly Change[] =>
  listIn(value)
    .slice(0, CHANGES_MAX)
    .map((one) => {
      const kind = fieldsIn(one.kind)
      const movedTo = textIn(kind.move_path)
      return {
        path: bounded(textIn(one.path) ?? '', PATH_MAX),
        movedTo: movedTo === null ? null : bounded(movedTo, PATH_MAX),
        change: changeIn(kind.type) ?? 'modified',
        text: textIn(one.diff) ?? '',
      }
    })

/** All files that the changes touch. */
export const filesOf = (changes: readonly Change[]): NonNullable<Ask['files']> =>
  changes.flatMap(({ path, movedTo, change }) => [
    { path, isDeleted: change === 'deleted' },
    ...(movedTo === null ? [] : [{ path: movedTo, isDeleted: false }]),
  ])

/** What people see of the changes: the text before and after, or the patch if there are several. */
export const inputOf = (changes: readonly Change[]): Fields | string | null => {
  const [only] = changes
  if (only === undefined) return null
  if (changes.length > 1 || only.movedTo !== null) return changes.map(patchOf).join('\n')
  if (only.change === 'added') return { content: only.text }
  if (only.change === 'deleted') return { old_string: only.text, new_string: '' }
  return { old_string: sideOf(only.text, '-'), new_string: sideOf(only.text, '+') }
}

const patchOf = ({ path, movedTo, change, text }: Change): string =>
  `${change} ${path}${movedTo === null ? '' : ` -> ${movedTo}`}\n${text}`

/** The lines of a diff that one side has. */
const sideOf = (diff: string, mark: '-' | '+'): string =>
  diff
    .split('\n')
    .filter((line) => line.startsWith(mark) || line.startsWith(' '))
    .map((line) => line.slice(1))
    .join('\n')
