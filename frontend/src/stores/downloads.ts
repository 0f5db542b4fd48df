import { defineStore } from 'pinia'
import { onScopeDispose, ref } from 'vue'
import { ApiError } from '@/api/transport/errors.ts'
import type { Gathered, Gathering } from '@/api/transport/gather.ts'
import { saveFile } from '@/lib/browser/saveFile.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'

/** Most at once. */
export const DOWNLOADS_MAX = 8

/** A file on its way to be saved. */
export interface Download {
  readonly id: number
  /** What it is of, or what it will be called. */
  readonly path: string
  /** In milliseconds since 1970. */
  readonly startedAt: number
  /** In bytes. */
  loaded: number
  /** In bytes; null where nobody knows. */
  total: number | null
}

/** What this page saves: it goes on wherever its person looks meanwhile. */
export const useDownloadsStore = defineStore('downloads', () => {
  const underWay = ref<Download[]>([])
  onScopeDispose(countAsUnsent(() => underWay.value.length > 0))
  const aborts = new Map<number, AbortController>()
  let lastId = 0

  /**
   * Gathers a file and has the browser save it, as the server calls it, or as `path` does. Resolves also when the person has
   * cancelled it.
   */
  async function save(path: string, get: (way: Gathering) => Promise<Gathered>): Promise<void> {
    if (underWay.value.length >= DOWNLOADS_MAX)
      throw new ApiError(429, 'TOO_MANY_REQUESTS', `${DOWNLOADS_MAX} files are on their way. Wait for one of them.`)
    const id = (lastId += 1)
    const abort = new AbortController()
    aborts.set(id, abort)
    underWay.value.push({ id, path, startedAt: Date.now(), loaded: 0, total: null })
    const told: Gathering['told'] = (progress) => {
      Object.assign(underWay.value.find((each) => each.id === id) ?? {}, progress)
    }
    try {
      const { content, name } = await get({ told, signal: abort.signal })
      saveFile(content, name ?? path)
    } catch (error) {
      if (!abort.signal.aborted) throw error
    } finally {
      aborts.delete(id)
      underWay.value = underWay.value.filter((each) => each.id !== id)
    }
  }

  const cancel = (id: number): void => aborts.get(id)?.abort()

  /** Another person may be next. */
  function clear(): void {
    for (const abort of aborts.values()) abort.abort()
  }

  return { underWay, save, cancel, clear }
})
