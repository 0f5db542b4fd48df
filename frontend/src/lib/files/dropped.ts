/** The files of a drop or of a chosen folder, with the folders that they are in. */

/** Most files of one drop, and most empty folders. */
export const DROP_FILES_MAX = 2_000

/** A file, and its folder below the place of the drop: `` or `photos/2024`. */
export interface DroppedFile {
  readonly file: File
  readonly folder: string
}

/** What one drop, or one choice of the user, has. */
export interface Dropped {
  readonly files: readonly DroppedFile[]
  /** The folders without anything in them, below the place of the drop. The others come with their files. */
  readonly emptyFolders: readonly string[]
}

/** More files or empty folders than a drop may have. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles'
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader answers a part of the entries at each call, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
    if (all.length > DROP_FILES_MAX) throw new TooManyFiles()
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

interface Found {
  readonly files: DroppedFile[]
  readonly emptyFolders: string[]
}

async function walk(entry: FileSystemEntry, folder: string, found: Found): Promise<void> {
  const { files, emptyFolders } = found
  if (isFile(entry)) files.push({ file: await fileOf(entry), folder })
  if (isFolder(entry)) {
    const own = folder === '' ? entry.name : `${folder}/${entry.name}`
    const inside = await entriesOf(entry)
    if (inside.length === 0) emptyFolders.push(own)
    for (const one of inside) await walk(one, own, found)
  }
  if (Math.max(files.length, emptyFolders.length) > DROP_FILES_MAX) throw new TooManyFiles()
}

/** Call it in the handler of the drop: the browser empties the transfer afterwards. Throws {@link TooManyFiles}. */
export async function droppedIn(transfer: DataTransfer): Promise<Dropped> {
  const entries = Array.from(transfer.items, (item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null))
  const found: Found = { files: [], emptyFolders: [] }
  for (const entry of entries) if (entry !== null) await walk(entry, '', found)
  return found
}

/**
 * The files of an input, whose folder may have been chosen as a whole. An input tells nothing of empty folders. Throws
 * {@link TooManyFiles}.
 */
export function chosenIn(files: readonly File[]): Dropped {
  if (files.length > DROP_FILES_MAX) throw new TooManyFiles()
  const folderOf = (file: File): string => file.webkitRelativePath.split('/').slice(0, -1).join('/')
  return { files: files.map((file) => ({ file, folder: folderOf(file) })), emptyFolders: [] }
}

/** The files of each folder. */
export function byFolder(files: readonly DroppedFile[]): Map<string, File[]> {
  const folders = new Map<string, File[]>()
  for (const { file, folder } of files) folders.set(folder, [...(folders.get(folder) ?? []), file])
  return folders
}
