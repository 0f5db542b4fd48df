import type { FolderListing } from '@slipway/protocol'
import { onScopeDispose, ref, shallowRef } from 'vue'
import { listFolder } from '@/api/files/files.ts'
import { messageOf } from '@/api/transport/errors.ts'

/** How long a listing is used again, in milliseconds. */
const FRESH_MS = 10_000
/** Most listings that are kept. */
const LISTINGS_MAX = 50

/** Folders of an agent's home, each read once in a while. */
export function useFolder(agent: () => string) {
  const listing = shallowRef<FolderListing | null>(null)
  const error = ref<string | null>(null)
  const isLoading = ref(false)
  const known = new Map<string, { at: number; listing: Promise<FolderListing> }>()
  /** Counts the requests: only the last one is shown. */
  let asked = 0

  function read(path: string): Promise<FolderListing> {
    const key = `${agent()}:${path}`
    const found = known.get(key)
    if (found !== undefined && Date.now() - found.at < FRESH_MS) return found.listing
    const answer = listFolder(agent(), path)
    known.delete(key)
    known.set(key, { at: Date.now(), listing: answer })
    for (const oldest of [...known.keys()].slice(0, -LISTINGS_MAX)) known.delete(oldest)
    answer.catch(() => known.delete(key))
    return answer
  }

  /** Shows a folder. If it cannot be read, the last one stays, with the error. */
  async function show(path: string): Promise<void> {
    const mine = (asked += 1)
    isLoading.value = true
    error.value = null
    try {
      const answer = await read(path)
      if (mine === asked) listing.value = answer
    } catch (cause) {
      if (mine === asked) error.value = messageOf(cause)
    } finally {
      if (mine === asked) isLoading.value = false
    }
  }

  onScopeDispose(() => (asked += 1))
  return { listing, error, isLoading, read, show }
}
