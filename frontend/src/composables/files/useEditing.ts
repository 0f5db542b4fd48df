import { onScopeDispose, ref, shallowRef } from 'vue'
import { saveFileText } from '@/api/files/fileTree.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { countAsUnsent } from '@/lib/browser/unsent.ts'
import { ABSENT } from '@/lib/files/absent.ts'
import type { ReadyFile } from './useFile.ts'

/** A file in an editor. */
export type EditedFile = ReadyFile & {
  /** The version with which the editor was opened. */
  readonly openedAs: string
}

export type Editing = ReturnType<typeof useEditing>

/** The file has changed or is gone, its folder is gone, or a file that was gone is there again. */
const CONFLICTS: readonly ApiError['code'][] = ['FILE_CHANGED', 'FILE_NOT_FOUND', 'FILE_EXISTS']

/** Most texts of failed saves that are kept. */
const TRIED_MAX = 3

/** The text of a save. */
interface Sent {
  readonly text: string
  /** Which of the changes it has. */
  readonly changes: number
}

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
  /** Saves that failed. Each may have written the file: perhaps only its answer was lost. */
  let tried: readonly Sent[] = []

  function changed(): void {
    changes += 1
    isDirty.value = true
  }

  function begin(ready: ReadyFile): void {
    file.value = { ...ready, openedAs: ready.version }
    tried = []
    isDirty.value = false
    error.value = null
    isConflict.value = false
  }

  /** Closes the editor and gives up the changes. */
  function end(): void {
    file.value = null
    tried = []
    isDirty.value = false
    isConflict.value = false
    error.value = null
  }

  /** The disk has this text, with this version. */
  function took(before: EditedFile, sent: Sent, version: string): void {
    if (before.text === null) return
    const bytes = new TextEncoder().encode(sent.text)
    const next = { ...before, version, bytes, size: bytes.length, text: { ...before.text, text: sent.text } }
    isConflict.value = false
    // The user may have closed the editor, or gone to another file.
    if (file.value === before) {
      file.value = next
      tried = []
      isDirty.value = changes !== sent.changes
    }
    saved(next)
  }

  /**
   * Whether the text on the disk is that of a save that failed. Then it counts as saved: only the answer was lost. The
   * newest save that failed since is made again, in place of this version.
   */
  function settle(text: string, version: string): boolean {
    // A save under way has not been tried yet.
    if (file.value === null || isSaving.value) return false
    const sent = tried.findLast((one) => one.text === text)
    const newest = tried.at(-1)
    if (sent === undefined || newest === undefined) return false
    error.value = null
    took(file.value, sent, version)
    if (newest !== sent) void write(newest)
    return true
  }

  /** Saves if no other program or user has changed the file, or in place of `over`, a version that the user has seen. */
  const save = (text: string, over?: string): Promise<void> => write({ text, changes }, over)

  async function write(sent: Sent, over?: string): Promise<void> {
    const before = file.value
    if (before === null || before.text === null || isSaving.value) return
    const { text } = sent
    isSaving.value = true
    error.value = null
    try {
      const expected = over ?? before.version
      // The folder of a file that is gone may be gone, too.
      const version = await saveFileText(agentKey(), before.realPath, text, { expected, parents: expected === ABSENT })
      took(before, sent, version)
    } catch (cause) {
      if (file.value === before) tried = [...tried, sent].slice(-TRIED_MAX)
      if (cause instanceof ApiError && CONFLICTS.includes(cause.code)) isConflict.value = true
      else error.value = messageOf(cause)
    } finally {
      isSaving.value = false
    }
  }

  return { file, isDirty, isSaving, isConflict, error, begin, changed, countChanges: () => changes, end, save, settle }
}
