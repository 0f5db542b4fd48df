import { AGENT_HOME } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { downloadFile } from '@/api/files/files.ts'
import { makeFolder, moveFile, removeFile, saveFileText } from '@/api/files/fileTree.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { useUploads } from '@/composables/requests/useUploads.ts'
import { ABSENT } from '@/lib/files/absent.ts'
import { byFolder, DROP_FILES_MAX, type Dropped, TooManyFiles } from '@/lib/files/dropped.ts'
import { isInside, nameOf, parentOf, shortOf, shownName } from '@/lib/files/paths.ts'
import { besideOf } from '@/lib/files/tree.ts'
import { useDownloadsStore } from '@/stores/shell/downloads.ts'
import type { Tree } from './useTree.ts'

/** How long a deletion can be undone by its notice, in milliseconds. */
const UNDO_MS = 15_000

export type FileActions = ReturnType<typeof useFileActions>

interface Surroundings {
  readonly agentKey: () => string
  readonly tree: Tree
  /** Asks before a move or a deletion that would lose what the user has typed. */
  readonly mayChange: (path: string) => Promise<boolean>
  /** Called after a move, and with null after a deletion. */
  readonly moved: (from: string, to: string | null) => void
}

/** Changes of the files, which the tree then shows. */
export function useFileActions({ agentKey, tree, mayChange, moved }: Surroundings) {
  const toast = useToast()
  const downloads = useDownloadsStore()
  const { uploads, busy, add, retry, cancel, clear } = useUploads(agentKey)

  const failed = (title: string, cause: unknown): void => {
    toast.add({ title, description: messageOf(cause), color: 'error', icon: 'i-lucide-circle-alert' })
  }
  /** Reads the folders again whose names have changed, as far as they are known. */
  const refresh = async (...paths: string[]): Promise<void> => {
    const known = [...new Set(paths)].filter((path) => tree.folders.has(path))
    await Promise.all(known.map((path) => tree.read(path)))
  }

  /** Rejects where the name is taken. */
  async function createFile(path: string): Promise<void> {
    await saveFileText(agentKey(), path, '', { expected: ABSENT, parents: false })
    await refresh(parentOf(path))
    await tree.reveal(path)
  }

  /** Rejects where the name is taken. */
  async function createFolder(path: string): Promise<void> {
    await makeFolder(agentKey(), path)
    await refresh(parentOf(path))
    await tree.reveal(path)
  }

  /** Rejects where the name is taken. */
  async function move(from: string, to: string): Promise<void> {
    if (from === to || !(await mayChange(from))) return
    await moveFile(agentKey(), from, to)
    tree.forget(from)
    await refresh(parentOf(from), parentOf(to))
    moved(from, to)
    await tree.reveal(to)
  }

  /** Moves into a folder, as by dragging. */
  async function moveInto(path: string, folder: string): Promise<void> {
    if (isInside(folder, path) || parentOf(path) === folder) return
    try {
      await move(path, `${folder}/${nameOf(path)}`)
    } catch (cause) {
      failed(`Could not move ${shownName(nameOf(path))}`, cause)
    }
  }

  async function remove(path: string): Promise<void> {
    const name = shownName(nameOf(path))
    if (!(await mayChange(path))) return
    try {
      const beside = besideOf(tree.rows.value, path)
      const trashed = await removeFile(agentKey(), path)
      const { current } = tree
      if (current.value !== null && isInside(current.value, path)) current.value = beside
      tree.forget(path)
      await refresh(parentOf(path))
      moved(path, null)
      toast.add({
        title: `Deleted ${name}`,
        icon: 'i-lucide-trash-2',
        color: 'neutral',
        duration: UNDO_MS,
        ...(trashed === undefined && { description: 'Unless it is gone for good, it is in ~/.slipway-trash.' }),
        ...(typeof trashed === 'string' && {
          actions: [
            { label: 'Undo', color: 'neutral', variant: 'outline', onClick: () => void putBack(trashed, path) },
          ],
        }),
      })
    } catch (cause) {
      failed(`Could not delete ${name}`, cause)
    }
  }

  async function putBack(trashed: string, path: string): Promise<void> {
    try {
      await moveFile(agentKey(), trashed, path)
      await refresh(parentOf(path))
      await tree.reveal(path)
    } catch (cause) {
      failed(`Could not bring back ${shownName(nameOf(path))}`, cause)
    }
  }

  async function download(path: string): Promise<void> {
    try {
      await downloads.save(shortOf(path), (way) => downloadFile(agentKey(), path, way))
    } catch (cause) {
      failed(`Could not download ${shownName(nameOf(path))}`, cause)
    }
  }

  /** Makes the folders of a drop that no file makes. One that is there already stays as it is. */
  async function makeFolders(paths: readonly string[]): Promise<void> {
    for (const path of paths)
      try {
        await makeFolder(agentKey(), path)
      } catch (cause) {
        if (cause instanceof ApiError && cause.code === 'FILE_EXISTS') continue
        // The others would fail for the same reason.
        return failed(`Could not make the folder ${shownName(nameOf(path))}`, cause)
      }
  }

  /** Uploads into a folder. Folders of the drop are made, also empty ones. */
  async function upload(folder: string, dropped: () => Promise<Dropped> | Dropped): Promise<void> {
    try {
      const { files, emptyFolders } = await dropped()
      const groups = byFolder(files)
      const ends = [...groups].map(([below, own]) =>
        add(own, shortOf(below === '' ? folder : `${folder}/${below}`), below !== ''),
      )
      await Promise.all(ends)
      const empty = emptyFolders.map((below) => `${folder}/${below}`)
      await makeFolders(empty)
      tree.expand(folder)
      await refresh(folder, ...[...groups.keys()].map((below) => `${folder}/${below}`), ...empty.map(parentOf))
    } catch (cause) {
      if (!(cause instanceof TooManyFiles)) return failed('Could not read the files', cause)
      const most = DROP_FILES_MAX.toLocaleString('en')
      toast.add({
        title: 'Too many files',
        description: `Upload at most ${most} files and ${most} empty folders at once, or an archive of them.`,
        color: 'error',
      })
    }
  }

  /** The folder for what is new: the current one, or that of the current file. */
  function folderOf(path: string | null): string {
    const row = tree.rows.value.find((each) => each.type === 'entry' && each.path === path)
    if (row?.type !== 'entry') return AGENT_HOME
    return row.kind === 'folder' ? row.path : parentOf(row.path)
  }

  const transfers = { uploads, busy, retry, cancel, clear }
  return { createFile, createFolder, move, moveInto, remove, download, upload, folderOf, transfers }
}
