/** The files of a drop or of a chosen folder, with the folders that they are in. */

/** Most files of one drop. */
export const DROP_FILES_MAX = 2_000

/** A file, and its folder below the place of the drop: `` or `photos/2024`. */
export interface DroppedFile {
  readonly file: File
  readonly folder: string
}

/** More files than a drop may have. */
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

async function walk(entry: FileSystemEntry, folder: string, found: DroppedFile[]): Promise<void> {
  if (isFile(entry)) found.push({ file: await fileOf(entry), folder })
  if (found.length > DROP_FILES_MAX) throw new TooManyFiles()
  if (!isFolder(entry)) return
  const own = folder === '' ? entry.name : `${folder}/${entry.name}`
  for (const inside of await entriesOf(entry)) await walk(inside, own, found)
}

/** Call it in the handler of the drop: the browser empties the transfer afterwards. Throws {@link TooManyFiles}. */
export async function droppedIn(transfer: DataTransfer): Promise<DroppedFile[]> {
  const entries = Array.from(transfer.items, (item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null))
  const found: DroppedFile[] = []
  for (const entry of entries) if (entry !== null) await walk(entry, '', found)
  return found
}

/** The files of an input, whose folder may have been chosen as a whole. Throws {@link TooManyFiles}. */
export function chosenIn(files: readonly File[]): DroppedFile[] {
  if (files.length > DROP_FILES_MAX) throw new TooManyFiles()
  return files.map((file) => ({ file, folder: file.webkitRelativePath.split('/').slice(0, -1).join('/') }))
}

/** The files of each folder. */
export function byFolder(files: readonly DroppedFile[]): Map<string, File[]> {
  const folders = new Map<string, File[]>()
  for (const { file, folder } of files) folders.set(folder, [...(folders.get(folder) ?? []), file])
  return folders
}
