/** What a user writes for tasks and conversations, in this browser, of one user at a time. */
import { isRecord } from '@/lib/isRecord.ts'

interface Options<Value> {
  /** Of the item in the browser's storage. */
  readonly name: string
  /** The property of the item that has the list. */
  readonly list: string
  /** Most tasks or conversations. The oldest one is dropped. */
  readonly max: number
  /** Reads a stored value, which may be of another version of this page. Null: it is none. */
  readonly read: (stored: unknown) => Value | null
}

/** The newest last. */
type Entries<Value> = readonly (readonly [task: string, value: Value])[]

/** If the storage is full or closed, what it did not take lasts as long as the page. */
export function keptByTask<Value>({ name, list, max, read }: Options<Value>) {
  let ofPage: { readonly userId: string; readonly entries: Entries<Value> } | null = null
  /** The tasks of which the storage did not take what the page has kept last. */
  const unsaved = new Set<string>()

  const inPage = (userId: string): Entries<Value> => (ofPage?.userId === userId ? ofPage.entries : [])

  /** What the storage has; without one, what the page has. */
  function stored(userId: string): Entries<Value> {
    try {
      const found: unknown = JSON.parse(localStorage.getItem(name) ?? 'null')
      const entries = isRecord(found) && found['userId'] === userId ? found[list] : null
      if (!Array.isArray(entries)) return inPage(userId)
      return entries.flatMap((entry: unknown): Entries<Value> => {
        if (!Array.isArray(entry) || typeof entry[0] !== 'string') return []
        const value = read(entry[1])
        return value === null ? [] : [[entry[0], value]]
      })
    } catch {
      return inPage(userId)
    }
  }

  function all(userId: string): Entries<Value> {
    const others = stored(userId).filter(([task]) => !unsaved.has(task))
    return [...others, ...inPage(userId).filter(([task]) => unsaved.has(task))]
  }

  const valueIn = (entries: Entries<Value>, task: string): Value | null =>
    entries.find(([id]) => id === task)?.[1] ?? null

  return {
    of: (userId: string, task: string): Value | null => valueIn(all(userId), task),
    /** What this page has kept last, also what {@link Options.read} would refuse. */
    ofPage: (userId: string, task: string): Value | null => valueIn(inPage(userId), task),

    /** Null removes what is kept for the task. */
    keep(userId: string, task: string, value: Value | null): void {
      const others = all(userId).filter(([id]) => id !== task)
      const entries = [...others, ...(value === null ? [] : [[task, value] as const])].slice(-max)
      ofPage = { userId, entries }
      try {
        localStorage.setItem(name, JSON.stringify({ userId, [list]: entries }))
        unsaved.clear()
      } catch {
        unsaved.add(task)
      }
    },

    /** Whether another tab has changed it. */
    isOf: ({ key }: StorageEvent): boolean => key === null || key === name,

    /** For a user who signs out: the next one at this computer reads nothing of it. */
    forget(): void {
      ofPage = null
      unsaved.clear()
      try {
        localStorage.removeItem(name)
      } catch {
        // There is no storage, so there is nothing to remove.
      }
    },
  }
}
