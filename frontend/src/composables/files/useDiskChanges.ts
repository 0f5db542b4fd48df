import { VERSION_PATHS_MAX } from '@slipway/protocol'
import { readVersions } from '@/api/files/fileTree.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'
import { foldersToCompare } from '@/lib/files/tree.ts'
import type { ReadyFile } from './useFile.ts'
import type { Tree } from './useTree.ts'

/** How often the page asks whether the disk has changed, in milliseconds. */
const LOOK_MS = 2_000
/** Most folders of one look. A request has one more place, for the shown file. */
export const COMPARED_FOLDERS_MAX = VERSION_PATHS_MAX - 1
/** A folder that changes all the time may take at most this share of the time to be read. */
const READING_SHARE = 0.2

interface Surroundings {
  readonly agentKey: () => string
  readonly tree: Tree
  readonly file: () => ReadyFile | null
  /** The shown file is another one now; null: it is gone. */
  readonly changed: (version: string | null) => void
  readonly isWanted: () => boolean
}

/**
 * What changes on the disk shows by itself: the names in the open folders, and the shown file. Of many open folders those in
 * view are compared at each look, and the others in turn.
 */
export function useDiskChanges({ agentKey, tree, file, changed, isWanted }: Surroundings): void {
  /** When a folder may be read again. */
  const readableAt = new Map<string, number>()
  /** The place among the folders out of view where the next look goes on. */
  let from = 0

  async function refresh(path: string): Promise<void> {
    const now = performance.now()
    if ((readableAt.get(path) ?? 0) > now) return
    readableAt.set(path, Number.POSITIVE_INFINITY)
    await tree.read(path)
    const end = performance.now()
    readableAt.set(path, end + (end - now) / READING_SHARE)
  }

  async function look(): Promise<void> {
    const shown = file()
    const { folders, next } = foldersToCompare(tree.inSight.value, tree.foldersInView(), {
      ...{ most: COMPARED_FOLDERS_MAX, from },
    })
    from = next
    const known = folders.map((path) => tree.folders.get(path))
    const paths = [...folders, ...(shown === null ? [] : [shown.realPath])]
    const versions = await readVersions(agentKey(), paths)
    if (shown !== null && file() === shown && versions.at(-1) !== shown.version) changed(versions.at(-1) ?? null)
    for (const [at, path] of folders.entries()) {
      const folder = known[at]
      const version = versions[at] ?? null
      // A folder that was read meanwhile is compared at the next look. One that is gone leaves with its parent's names.
      if (folder === undefined || folder.isLoading || folder !== tree.folders.get(path)) continue
      if (version !== null && version !== folder.version) void refresh(path)
    }
  }

  usePolling(look, LOOK_MS, isWanted)
}
