import { onScopeDispose, shallowRef } from 'vue'
import { type FilePart, readPart } from '@/api/files/fileTree.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { imageTypeOf } from '@/lib/files/kinds.ts'
import { type FileText, textOf } from '@/lib/files/text.ts'

/** Most of a file that is read to show it, in bytes. A file up to this size can be edited. */
export const PREVIEW_BYTES = 2 * 1024 * 1024
/** The largest picture that is shown, in bytes. */
export const IMAGE_BYTES = 16 * 1024 * 1024

/** The shown file. */
export type ShownFile =
  | { readonly state: 'none' }
  | { readonly state: 'loading'; readonly path: string }
  | { readonly state: 'failed'; readonly path: string; readonly error: string }
  | ({ readonly state: 'ready'; readonly path: string; readonly isWhole: boolean } & FilePart & {
        /** Null: no text. */
        readonly text: FileText | null
      })

export type ReadyFile = Extract<ShownFile, { state: 'ready' }>

/** Reads a file, or the beginning of a large one. */
export function useFile(agentKey: () => string) {
  const file = shallowRef<ShownFile>({ state: 'none' })
  let reading: AbortController | null = null

  /** A file that is shown already stays in sight until it was read again. */
  async function show(path: string | null): Promise<void> {
    reading?.abort()
    if (path === null) {
      file.value = { state: 'none' }
      return
    }
    const own = new AbortController()
    reading = own
    if (file.value.state !== 'ready' || file.value.path !== path) file.value = { state: 'loading', path }
    const isImage = imageTypeOf(path) !== null
    try {
      const part = await readPart(agentKey(), path, isImage ? IMAGE_BYTES : PREVIEW_BYTES, own.signal)
      if (own.signal.aborted) return
      const isWhole = part.bytes.length === part.size
      file.value = { state: 'ready', path, ...part, isWhole, text: textOf(part.bytes, isWhole) }
    } catch (cause) {
      if (!own.signal.aborted) file.value = { state: 'failed', path, error: messageOf(cause) }
    }
  }

  onScopeDispose(() => reading?.abort())
  return { file, show }
}
