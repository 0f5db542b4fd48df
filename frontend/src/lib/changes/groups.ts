import type { GitChange, GitFile, GitSide } from '@slipway/protocol'

/** A list of changed files of one kind. */
export type GroupId = 'conflicts' | 'staged' | 'unstaged' | 'untracked' | 'ignored'

/** A file in one of these lists. One that has staged and other changes is in two. */
export interface ListedFile {
  readonly file: GitFile
  readonly group: GroupId
  readonly side: GitSide
  readonly change: GitChange
  /** Of the row. */
  readonly key: string
}

export interface Group {
  readonly id: GroupId
  readonly title: string
  readonly files: readonly ListedFile[]
}

const TITLES: readonly (readonly [GroupId, string])[] = [
  ['conflicts', 'In conflict'],
  ['staged', 'Staged'],
  ['unstaged', 'Not staged'],
  ['untracked', 'Untracked'],
  ['ignored', 'Ignored'],
]

/** In which lists a file is. */
const placesOf = (file: GitFile): readonly (readonly [GroupId, GitSide, GitChange | null])[] => {
  switch (file.kind) {
    case 'conflict':
      return [['conflicts', 'unstaged', 'modified']]
    case 'untracked':
      return [['untracked', 'unstaged', 'added']]
    case 'ignored':
      return [['ignored', 'unstaged', 'added']]
    default:
      return [
        ['staged', 'staged', file.staged],
        // A repository that git does not know is untracked, too.
        [file.path.endsWith('/') ? 'untracked' : 'unstaged', 'unstaged', file.unstaged],
      ]
  }
}

/** The changed files in their lists, without empty ones. */
export function groupsOf(files: readonly GitFile[]): Group[] {
  const listed = files.flatMap((file) =>
    placesOf(file).flatMap(([group, side, change]): ListedFile[] =>
      change === null ? [] : [{ file, group, side, change, key: `${group} ${file.id}` }],
    ),
  )
  return TITLES.map(([id, title]) => ({ id, title, files: listed.filter(({ group }) => group === id) })).filter(
    (group) => group.files.length > 0,
  )
}

/** What requests name of files: with the path before a rename, so that both halves of it are meant. */
export const idsOf = (files: readonly ListedFile[]): string[] => [
  ...new Set(
    files.flatMap(({ file, side }) => (file.oldId !== null && side === 'staged' ? [file.oldId, file.id] : [file.id])),
  ),
]

/** Whether it can be staged or discarded: neither another repository, nor what git ignores. */
export const isOwnFile = ({ file, group }: ListedFile): boolean => file.kind !== 'repository' && group !== 'ignored'
