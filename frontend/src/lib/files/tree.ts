/** The rows of a tree of folders. Pure: the folders come from `composables/files/useTree.ts`. */
import type { TreeEntry } from '@slipway/protocol'
import { decodePath } from '@/lib/pathBytes.ts'
import { parentOf } from './paths.ts'

/** What the page knows of a folder. */
export interface Folder {
  readonly entries: readonly TreeEntry[]
  /** Whether more entries are on their way. */
  readonly isLoading: boolean
  readonly error: string | null
  /** Whether it has more entries than a list may have. */
  readonly isCut: boolean
  /** Null until the server has said it. */
  readonly version: string | null
}

/** A row with an entry. */
export interface EntryRow {
  readonly type: 'entry'
  readonly path: string
  readonly name: string
  readonly kind: TreeEntry['kind']
  readonly isLink: boolean
  readonly depth: number
  readonly isOpen: boolean
  /** Its place among the entries of its folder, from 1, and how many these are. */
  readonly place: number
  readonly among: number
}

/** A row that says something about a folder in place of entries. */
export interface NoteRow {
  readonly type: 'note'
  readonly path: string
  readonly depth: number
  readonly note: 'loading' | 'empty' | 'cut' | 'failed'
  readonly text: string | null
}
export type Row = EntryRow | NoteRow

export const pathIn = (folder: string, { name, encodedName }: TreeEntry): string =>
  `${folder}/${encodedName === undefined ? name : decodePath(encodedName)}`

const noteOf = ({ entries, isLoading, error, isCut }: Folder): NoteRow['note'] | null => {
  if (error !== null) return 'failed'
  if (isLoading) return 'loading'
  if (isCut) return 'cut'
  return entries.length === 0 ? 'empty' : null
}

/** The rows below a folder. `hides` leaves out names that begin with a dot. */
export function rowsOf(
  root: string,
  { folders, open, hides }: { folders: ReadonlyMap<string, Folder>; open: ReadonlySet<string>; hides: boolean },
): Row[] {
  const rows: Row[] = []
  const add = (path: string, depth: number): void => {
    const folder = folders.get(path)
    if (folder === undefined) return
    const entries = hides ? folder.entries.filter(({ name }) => !name.startsWith('.')) : folder.entries
    for (const [at, entry] of entries.entries()) {
      const own = pathIn(path, entry)
      const isOpen = entry.kind === 'folder' && open.has(own)
      rows.push({
        type: 'entry',
        path: own,
        name: entry.name,
        kind: entry.kind,
        isLink: entry.isLink === true,
        depth,
        isOpen,
        place: at + 1,
        among: entries.length,
      })
      if (isOpen) add(own, depth + 1)
    }
    const note = noteOf({ ...folder, entries })
    if (note !== null) rows.push({ type: 'note', path, depth, note, text: folder.error })
  }
  add(root, 0)
  return rows
}

/** The path of the row to go to from one that is removed: the next one in its folder, else the one before, else the folder. */
export function besideOf(rows: readonly Row[], path: string): string {
  const folder = parentOf(path)
  const entries = rows.filter((row) => row.type === 'entry' && parentOf(row.path) === folder)
  const at = entries.findIndex((row) => row.path === path)
  return (entries[at + 1] ?? entries[at - 1])?.path ?? folder
}

/** The folders whose names are among these rows. An open folder is, even if its names begin below the last row. */
export function foldersOf(rows: readonly Row[]): string[] {
  const paths = rows.flatMap((row) => {
    if (row.type === 'note') return [row.path]
    return row.isOpen ? [parentOf(row.path), row.path] : [parentOf(row.path)]
  })
  return [...new Set(paths)]
}

/** At most `most` of the open folders: those in view, and as many others as have room, from the place `from` on. */
export function foldersToCompare(
  open: readonly string[],
  inView: readonly string[],
  { most, from }: { most: number; from: number },
): { folders: string[]; next: number } {
  const isOpen = new Set(open)
  const first = inView.filter((path) => isOpen.has(path)).slice(0, most)
  const others = open.filter((path) => !first.includes(path))
  const room = Math.min(most - first.length, others.length)
  const start = others.length === 0 ? 0 : from % others.length
  const turn = [...others.slice(start), ...others.slice(0, start)].slice(0, room)
  return { folders: [...first, ...turn], next: start + room }
}
