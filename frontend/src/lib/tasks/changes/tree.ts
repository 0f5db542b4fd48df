import type { ChangedFile } from '@slipway/protocol'

/** A row of the tree of changed files. */
export interface TreeRow {
  readonly kind: 'folder' | 'file'
  /** From the top of the work tree. */
  readonly path: string
  /** What its row shows: the names of folders that contain only one folder are joined. */
  readonly name: string
  /** 0 for the top. */
  readonly depth: number
  /** Lines; of a folder those of its files. Null: not counted. */
  readonly insertions: number | null
  readonly deletions: number | null
  readonly status: ChangedFile['status'] | null
}

interface Folder {
  readonly folders: Map<string, Folder>
  readonly files: { readonly name: string; readonly file: ChangedFile }[]
}

const newFolder = (): Folder => ({ folders: new Map(), files: [] })
const filesIn = ({ folders, files }: Folder): ChangedFile[] => [
  ...[...folders.values()].flatMap(filesIn),
  ...files.map(({ file }) => file),
]
const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((all, one) => all + (one ?? 0), 0)

function rowsOf(folder: Folder, path: string, depth: number, closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  for (const [first, inner] of folder.folders) {
    let [name, current] = [first, inner]
    for (;;) {
      const [only, ...others] = current.folders
      if (only === undefined || others.length > 0 || current.files.length > 0) break
      name = `${name}/${only[0]}`
      current = only[1]
    }
    const at = `${path}${name}`
    const files = filesIn(current)
    const insertions = sum(files.map((file) => file.insertions))
    const deletions = sum(files.map((file) => file.deletions))
    rows.push({ kind: 'folder', path: at, name, depth, insertions, deletions, status: null })
    if (!closed.has(at)) rows.push(...rowsOf(current, `${at}/`, depth + 1, closed))
  }
  for (const { name, file } of folder.files) {
    const { insertions, deletions, status } = file
    rows.push({ kind: 'file', path: file.path, name, depth, insertions, deletions, status })
  }
  return rows
}

/** The rows of the tree, folders first, without what is in the folders that are `closed`. */
export function treeOf(files: readonly ChangedFile[], closed: ReadonlySet<string>): TreeRow[] {
  const top = newFolder()
  for (const file of files) {
    const names = file.path.split('/')
    const name = names.pop() ?? ''
    let folder = top
    for (const one of names) {
      const next = folder.folders.get(one) ?? newFolder()
      folder.folders.set(one, next)
      folder = next
    }
    folder.files.push({ name, file })
  }
  return rowsOf(top, '', 0, closed)
}

/** The files in the order of the tree. */
export function inTreeOrder(files: readonly ChangedFile[]): ChangedFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  if (byPath.size < files.length) return [...files]
  return treeOf(files, new Set()).flatMap(({ kind, path }) => (kind === 'file' ? (byPath.get(path) ?? []) : []))
}
