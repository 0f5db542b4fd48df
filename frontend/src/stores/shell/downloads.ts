import { defineStore } from 'pinia'
import { onScopeDispose, ref } from 'vue'
import { ApiError } from '@/api/transport/errors.ts'
import type { Gathered, Gathering } from '@/api/transport/gather.ts'
import { saveFile } from '@/lib/browser/saveFile.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'

/** Most downloads at the same time. */
export const DOWNLOADS_MAX = 8

/** A running download. */
export interface Download {
  readonly id: number
  /** The downloaded path, or the name of the file to save. */
  readonly path: string
  /** In milliseconds since 1970. */
  readonly startedAt: number
  /** In bytes. */
  loaded: number
  /** In bytes; null if unknown. */
  total: number | null
}

/** Downloads of this page. They continue while the user visits other pages. */
export const useDownloadsStore = defineStore('downloads', () => {
  const underWay = ref<Download[]>([])
  onScopeDispose(countAsUnsent(() => underWay.value.length > 0))
  const aborts = new Map<number, AbortController>()
  let lastId = 0

  /**
   * Downloads a file and makes the browser save it, under the server's name or else under `path`. Also resolves if the
   * user cancels.
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

  /** Another user may sign in next. */
  function clear(): void {
    for (const abort of aborts.values()) abort.abort()
  }

  return { underWay, save, cancel, clear }
})
