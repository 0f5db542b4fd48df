import { onScopeDispose, ref, shallowRef } from 'vue'
import { saveFileText } from '@/api/files/fileTree.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'
import type { ReadyFile } from './useFile.ts'

/** A file in an editor. */
export type EditedFile = ReadyFile & {
  /** The version with which the editor was opened. */
  readonly openedAs: string
}

export type Editing = ReturnType<typeof useEditing>

/** A file that the user edits. The editor itself holds the text. */
export function useEditing(agentKey: () => string, saved: (file: ReadyFile) => void) {
  /** The file as it was read or saved last; null while nothing is edited. */
  const file = shallowRef<EditedFile | null>(null)
  const isDirty = ref(false)
  const isSaving = ref(false)
  const error = ref<string | null>(null)
  /** Whether another program has changed the file meanwhile, so that a save would lose its work. */
  const isConflict = ref(false)
  onScopeDispose(countAsUnsent(() => isDirty.value))
  /** Counts the changes of the text, since the user goes on typing during a save. */
  let changes = 0

  function changed(): void {
    changes += 1
    isDirty.value = true
  }

  function begin(ready: ReadyFile): void {
    file.value = { ...ready, openedAs: ready.version }
    isDirty.value = false
    error.value = null
    isConflict.value = false
  }

  /** Closes the editor and gives up the changes. */
  function end(): void {
    file.value = null
    isDirty.value = false
    isConflict.value = false
    error.value = null
  }

  /** Saves if no other program or user has changed the file, or in place of `over`, a version that the user has seen. */
  async function save(text: string, over?: string): Promise<void> {
    const before = file.value
    if (before === null || before.text === null || isSaving.value) return
    const changesBefore = changes
    isSaving.value = true
    error.value = null
    try {
      const version = await saveFileText(agentKey(), before.realPath, text, over ?? before.version)
      const bytes = new TextEncoder().encode(text)
      const next = { ...before, version, bytes, size: bytes.length, text: { ...before.text, text } }
      isConflict.value = false
      // The user may have closed the editor, or gone to another file.
      if (file.value === before) {
        file.value = next
        isDirty.value = changes !== changesBefore
      }
      saved(next)
    } catch (cause) {
      // FILE_EXISTS: a file that was gone is there again.
      if (cause instanceof ApiError && ['FILE_CHANGED', 'FILE_EXISTS'].includes(cause.code)) isConflict.value = true
      else error.value = messageOf(cause)
    } finally {
      isSaving.value = false
    }
  }

  return { file, isDirty, isSaving, isConflict, error, begin, changed, end, save }
}
