import { computed, reactive } from 'vue'
import { messageOf } from '@/api/errors.ts'
import { uploadFile } from '@/api/files.ts'

/** Most files listed; the oldest that are over make room. */
const MAX_LISTED = 200

/** A file on its way into an agent's home. */
export interface Upload {
  id: number
  path: string
  size: number
  state: 'waiting' | 'sending' | 'done' | 'failed'
  /** The share that is sent, from 0 to 1. */
  share: number
  error: string | null
}

let lastId = 0

/** Sends files one after the other, and tells how far each is. */
export function useUploads(agentKey: () => string) {
  const uploads = reactive<Upload[]>([])
  const busy = computed(() => uploads.some(({ state }) => state === 'waiting' || state === 'sending'))
  let turn = Promise.resolve()

  function add(files: readonly File[], folder: string): void {
    const key = agentKey()
    for (const file of files) {
      const path = `${folder.trim().replace(/\/+$/, '') || '~'}/${file.name}`
      uploads.push({ id: (lastId += 1), path, size: file.size, state: 'waiting', share: 0, error: null })
      const upload = uploads[uploads.length - 1]!
      turn = turn.then(() => send(key, upload, file))
    }
    while (uploads.length > MAX_LISTED && uploads[0]?.state !== 'waiting' && uploads[0]?.state !== 'sending')
      uploads.shift()
  }

  async function send(key: string, upload: Upload, file: File): Promise<void> {
    upload.state = 'sending'
    try {
      await uploadFile(key, upload.path, file, (share) => (upload.share = share))
      upload.state = 'done'
    } catch (error) {
      upload.state = 'failed'
      upload.error = messageOf(error)
    }
  }

  return { uploads, busy, add }
}
