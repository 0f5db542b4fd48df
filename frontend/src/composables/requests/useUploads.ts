import { computed, onScopeDispose, reactive } from 'vue'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { UploadCancelled, uploadFile } from '@/api/files/files.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'

/** Most files listed. The oldest finished ones are dropped. */
const MAX_LISTED = 200

/** An upload to an agent's home. */
export interface Upload {
  id: number
  path: string
  size: number
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'
  /** The share that was sent, from 0 to 1. */
  share: number
  error: string | null
  /** Whether a retry may succeed. */
  canRetry: boolean
  /** The upload succeeded, but its path could not be typed. */
  isUntyped: boolean
}

/** An upload with its file and options. */
interface Task {
  key: string
  upload: Upload
  file: File
  parents: boolean
}

let lastId = 0

/** State of an upload before it is sent. */
const FRESH = { state: 'waiting', share: 0, error: null, canRetry: false } as const

const isUnderWay = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'

/** Uploads files one after another, with their progress. */
export function useUploads(agentKey: () => string) {
  const uploads = reactive<Upload[]>([])
  const busy = computed(() => uploads.some(isUnderWay))
  onScopeDispose(countAsUnsent(() => busy.value))
  const aborts = new Map<number, AbortController>()
  const failed = new Map<number, Task>()
  let turn = Promise.resolve()

  /** Resolves with all uploads once each has ended. `parents` creates missing folders. */
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

  /**
   * Retries a failed upload to the same path. Resolves with it once it has ended, or with null if there is none to
   * retry.
   */
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

  /** Cancels an upload that is running or waiting. */
  function cancel(id: number): void {
    aborts.get(id)?.abort()
    const upload = uploads.find((each) => each.id === id)
    if (upload?.state === 'waiting') upload.state = 'cancelled'
  }

  /** Removes finished uploads from the list. */
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
