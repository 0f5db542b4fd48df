import { AGENT_HOME, type TreeEntry } from '@slipway/protocol'
import { useLocalStorage } from '@vueuse/core'
import { computed, onScopeDispose, shallowReactive, ref } from 'vue'
import { listEntries } from '@/api/files/fileTree.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { foldersTo, isInside } from '@/lib/files/paths.ts'
import { type Folder, foldersOf, rowsOf } from '@/lib/files/tree.ts'

/** How often the rows follow a list that is arriving, in milliseconds. The first part is shown at once. */
const SHOWN_EVERY_MS = 150

const UNREAD: Folder = { entries: [], isLoading: true, error: null, isCut: false, version: null }

export type Tree = ReturnType<typeof useTree>

/** The folders of an agent's home. Each is read when the user opens it. */
export function useTree(agentKey: () => string) {
  const folders = shallowReactive(new Map<string, Folder>())
  const open = shallowReactive(new Set<string>())
  /** The path of the row that the keyboard is on. It may be out of sight: in a closed folder, hidden, or gone. */
  const current = ref<string | null>(null)
  const showsHidden = useLocalStorage('slipway.files.hidden', true)
  const readings = new Map<string, AbortController>()

  const rows = computed(() => rowsOf(AGENT_HOME, { folders, open, hides: !showsHidden.value }))
  /** The place of the current row among the rows; -1: it is out of sight, or there is none. */
  const at = computed(() => rows.value.findIndex(({ type, path }) => type === 'entry' && path === current.value))

  /** Whether a folder is read for the first time. */
  const isReading = computed(() => [...folders.values()].some(({ isLoading }) => isLoading))

  /** Reads a folder. One that was read before keeps its entries until the new ones are complete. */
  async function read(path: string): Promise<void> {
    readings.get(path)?.abort()
    const reading = new AbortController()
    readings.set(path, reading)
    const before = folders.get(path)
    const isKnown = before !== undefined && !before.isLoading && before.error === null
    if (!isKnown) folders.set(path, UNREAD)
    const entries: TreeEntry[] = []
    let version: string | null = null
    let shownAt = Number.NEGATIVE_INFINITY
    const show = (last: Partial<Folder>): void => {
      shownAt = performance.now()
      folders.set(path, { ...UNREAD, entries: [...entries], version, ...last })
    }
    try {
      const { truncated } = await listEntries(
        agentKey(),
        path,
        (line) => {
          if (line.type === 'folder') version = line.version ?? null
          if (line.type !== 'entries') return
          for (const entry of line.items) entries.push(entry)
          if (!isKnown && performance.now() - shownAt > SHOWN_EVERY_MS) show({})
        },
        reading.signal,
      )
      show({ isLoading: false, isCut: truncated })
    } catch (cause) {
      if (reading.signal.aborted) return
      show({ isLoading: false, error: messageOf(cause), entries: isKnown ? before.entries : entries })
    } finally {
      if (readings.get(path) === reading) readings.delete(path)
    }
  }

  function expand(path: string): void {
    if (path === AGENT_HOME || open.has(path)) return
    open.add(path)
    void read(path)
  }

  /** The folders below it stay open for the next time, but are no longer looked at. */
  function collapse(path: string): void {
    open.delete(path)
    readings.get(path)?.abort()
    if (folders.get(path)?.isLoading === true) folders.delete(path)
  }

  const toggle = (path: string): void => (open.has(path) ? collapse(path) : expand(path))

  /** Opens the folders on the way to a path, and goes to its row. */
  async function reveal(path: string): Promise<void> {
    current.value = path
    const closed = foldersTo(path).filter((folder) => !open.has(folder))
    for (const folder of closed) open.add(folder)
    await Promise.all(closed.map(read))
  }

  /** The folders in sight: the home, and those that are open in open folders. */
  const inSight = computed(() => [
    AGENT_HOME,
    ...[...open].filter((path) => foldersTo(path).every((folder) => open.has(folder))),
  ])

  /** The first and the last row that the list shows now; null while no list is on the page. */
  let view: () => readonly [number, number] | null = () => null
  /** The folders whose names the list shows now. */
  function foldersInView(): string[] {
    const range = view()
    return range === null ? [] : foldersOf(rows.value.slice(range[0], range[1] + 1))
  }

  /** A folder that was moved or removed is no longer open. */
  function forget(path: string): void {
    for (const folder of [...open]) if (isInside(folder, path)) open.delete(folder)
    for (const folder of [...folders.keys()]) if (isInside(folder, path)) folders.delete(folder)
  }

  onScopeDispose(() => {
    for (const reading of readings.values()) reading.abort()
  })

  return {
    ...{ folders, rows, current, at, isReading, showsHidden, inSight },
    ...{ read, expand, collapse, toggle, reveal, forget, foldersInView },
    /** The list says which rows it shows when it is asked. */
    viewedBy: (list: typeof view): void => void (view = list),
  }
}
