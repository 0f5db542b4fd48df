import { computed, onScopeDispose, reactive } from 'vue'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { UploadCancelled, uploadFile } from '@/api/files.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'

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
  /** Whether it failed of something that may be over. */
  canRetry: boolean
  /** It has arrived, and its path could not be typed where that was wanted. */
  isUntyped: boolean
}

/** One that is to be sent, with what that takes. */
interface Task {
  key: string
  upload: Upload
  file: File
  parents: boolean
}

let lastId = 0

/** What is so of each that is still to be sent. */
const FRESH = { state: 'waiting', share: 0, error: null, canRetry: false } as const

const isUnderWay = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'

/** Sends files one after the other, and tells how far each is. */
export function useUploads(agentKey: () => string) {
  const uploads = reactive<Upload[]>([])
  const busy = computed(() => uploads.some(isUnderWay))
  onScopeDispose(countAsUnsent(() => busy.value))
  const aborts = new Map<number, AbortController>()
  const failed = new Map<number, Task>()
  let turn = Promise.resolve()

  /** Resolves with all of them, when each has come to its end. `parents`: folders that are missing are made. */
  async function add(files: readonly File[], folder: string, parents = false): Promise<Upload[]> {
    const key = agentKey()
    const added = files.map((file) => {
      const path = `${folder.trim().replace(/\/+$/, '') || '~'}/${file.name}`
      uploads.push({ id: (lastId += 1), path, size: file.size, ...FRESH, isUntyped: false })
      const upload = uploads[uploads.length - 1]!
      enqueue({ key, upload, file, parents })
      return upload
    })
    while (uploads.length > MAX_LISTED && !isUnderWay(uploads[0]!)) failed.delete(uploads.shift()!.id)
    await turn
    return added
  }

  /** Sends one again that failed, to the same place. Resolves with it when it has come to its end; null where there is none. */
  async function retry(id: number): Promise<Upload | null> {
    const task = failed.get(id)
    if (task === undefined) return null
    failed.delete(id)
    Object.assign(task.upload, FRESH)
    enqueue(task)
    await turn
    return task.upload
  }

  function enqueue(task: Task): void {
    aborts.set(task.upload.id, new AbortController())
    turn = turn.then(() => send(task))
  }

  async function send(task: Task): Promise<void> {
    const { key, upload, file, parents } = task
    const { signal } = aborts.get(upload.id)!
    try {
      if (signal.aborted) throw new UploadCancelled()
      upload.state = 'sending'
      await uploadFile(key, upload.path, file, { progress: (share) => (upload.share = share), signal, parents })
      upload.state = 'done'
    } catch (error) {
      if (error instanceof UploadCancelled) {
        upload.state = 'cancelled'
        return
      }
      upload.state = 'failed'
      upload.error = messageOf(error)
      upload.canRetry = !(error instanceof ApiError && error.code === 'TOO_LARGE')
      if (upload.canRetry) failed.set(upload.id, task)
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
    failed.clear()
  }

  onScopeDispose(() => {
    for (const abort of aborts.values()) abort.abort()
  })

  return { uploads, busy, add, retry, cancel, clear }
}
