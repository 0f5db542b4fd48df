import { usePolling } from './usePolling.ts'

interface Item {
  readonly id: string
}

/** A list that is read again and again while the page is visible. Null until it has loaded. */
export function usePolledList<T extends Item>(list: () => Promise<T[]>, everyMs: number) {
  /** Counts the changes of this page, because an answer may be older than them. */
  let changes = 0
  const { data, error, refresh } = usePolling(read, everyMs, () => true)

  async function read(): Promise<T[]> {
    const before = changes
    const answer = await list()
    return before === changes || data.value === null ? answer : data.value
  }

  /** Stores the server's answer to a change. A new item comes last. */
  function put(item: T): void {
    changes += 1
    const all = data.value ?? []
    data.value = all.some(({ id }) => id === item.id)
      ? all.map((other) => (other.id === item.id ? item : other))
      : [...all, item]
  }

  function drop(id: string): void {
    changes += 1
    data.value = data.value?.filter((item) => item.id !== id) ?? null
  }

  return { items: data, error, refresh, put, drop }
}
