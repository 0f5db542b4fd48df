import { computed, onScopeDispose, reactive } from 'vue'
import { messageOf } from '@/api/errors.ts'
import { UploadCancelled, uploadFile } from '@/api/files.ts'

/** Most files listed; the oldest that are over make room. */
const MAX_LISTED = 200

/** A file on its way into an agent's home. */
export interface Upload {
  id: number
  path: string
  size: number
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'
  /** The share that is sent, from 0 to 1. */
  share: number
  error: string | null
}

let lastId = 0

const isUnderWay = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'

/** Sends files one after the other, and tells how far each is. */
export function useUploads(agentKey: () => string) {
  const uploads = reactive<Upload[]>([])
  const busy = computed(() => uploads.some(isUnderWay))
  const aborts = new Map<number, AbortController>()
  let turn = Promise.resolve()

  /** Resolves with all of them, when each has come to its end. `parents`: folders that are missing are made. */
  async function add(files: readonly File[], folder: string, parents = false): Promise<Upload[]> {
    const key = agentKey()
    const added = files.map((file) => {
      const path = `${folder.trim().replace(/\/+$/, '') || '~'}/${file.name}`
      uploads.push({ id: (lastId += 1), path, size: file.size, state: 'waiting', share: 0, error: null })
      const upload = uploads[uploads.length - 1]!
      aborts.set(upload.id, new AbortController())
      turn = turn.then(() => send(key, upload, file, parents))
      return upload
    })
    while (uploads.length > MAX_LISTED && !isUnderWay(uploads[0]!)) uploads.shift()
    await turn
    return added
  }

  async function send(key: string, upload: Upload, file: File, parents: boolean): Promise<void> {
    const { signal } = aborts.get(upload.id)!
    try {
      if (signal.aborted) throw new UploadCancelled()
      upload.state = 'sending'
      await uploadFile(key, upload.path, file, { progress: (share) => (upload.share = share), signal, parents })
      upload.state = 'done'
    } catch (error) {
      upload.state = error instanceof UploadCancelled ? 'cancelled' : 'failed'
      upload.error = error instanceof UploadCancelled ? null : messageOf(error)
    } finally {
      aborts.delete(upload.id)
    }
  }

  /** Ends one that is under way, or is still to begin. */
  function cancel(id: number): void {
    aborts.get(id)?.abort()
    const upload = uploads.find((each) => each.id === id)
    if (upload?.state === 'waiting') upload.state = 'cancelled'
  }

  /** Takes those from the list that are over. */
  function clear(): void {
    const left = uploads.filter(isUnderWay)
    uploads.splice(0, uploads.length, ...left)
  }

  onScopeDispose(() => {
    for (const abort of aborts.values()) abort.abort()
  })

  return { uploads, busy, add, cancel, clear }
}
