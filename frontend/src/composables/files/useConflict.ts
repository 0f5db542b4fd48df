import { ref, shallowRef, watch } from 'vue'
import { readPart } from '@/api/files/fileTree.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { ABSENT } from '@/lib/files/absent.ts'
import { textOf } from '@/lib/files/text.ts'
import type { useEditing } from './useEditing.ts'
import { PREVIEW_BYTES } from './useFile.ts'

interface ConflictSurroundings {
  readonly agentKey: () => string
  readonly editing: ReturnType<typeof useEditing>
  /** Opens the editor again with the file on the disk. Resolves with why it could not be read; null if it was. */
  readonly reload: () => Promise<string | null>
}

/** The file on the disk. */
interface Theirs {
  readonly text: string
  /** The same text if it stands for all bytes of the file; otherwise null. */
  readonly exact: string | null
  /** `none`: the file is gone. */
  readonly version: string
}

/** What the user does about a file that has changed while they edited it. */
export function useConflict({ agentKey, editing, reload }: ConflictSurroundings) {
  const isBusy = ref(false)
  const error = ref<string | null>(null)
  /** Whether the file is known to be gone from the disk, perhaps with its folder. */
  const isGone = ref(false)
  /** The texts to compare; null while they are not compared. */
  const compared = shallowRef<{ readonly theirs: string; readonly mine: string } | null>(null)
  /** The version that the user knows of: as the conflict began, or as it was compared last. Null: not read yet. */
  let seen: string | null = null
  watch(editing.isConflict, (is) => {
    forget()
    error.value = null
    if (is) void withTheirs(() => undefined)
  })
  function forget(): void {
    compared.value = null
    isGone.value = false
    seen = null
  }

  async function readTheirs(path: string): Promise<Theirs> {
    try {
      const part = await readPart(agentKey(), path, PREVIEW_BYTES, new AbortController().signal)
      const isWhole = part.bytes.length === part.size
      const found = textOf(part.bytes, isWhole)
      const exact = isWhole && found?.isUtf8 === true ? found.text : null
      return { text: found?.text ?? '', exact, version: part.version }
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'FILE_NOT_FOUND')
        return { text: '', exact: null, version: ABSENT }
      throw cause
    }
  }
  async function withTheirs(act: (theirs: Theirs) => Promise<void> | void): Promise<void> {
    const path = editing.file.value?.realPath
    if (path === undefined || isBusy.value) return
    isBusy.value = true
    error.value = null
    try {
      const theirs = await readTheirs(path)
      seen = theirs.version
      isGone.value = seen === ABSENT
      if (theirs.exact !== null && editing.settle(theirs.exact, theirs.version)) return
      await act(theirs)
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isBusy.value = false
    }
  }

  const compare = (mine: string): Promise<void> =>
    withTheirs(({ text }) => {
      compared.value = compared.value === null && !isGone.value ? { theirs: text, mine } : null
    })
  /** Another change since the user looked shows the conflict anew. */
  async function overwrite(mine: string): Promise<void> {
    if (isBusy.value) return
    if (seen === null) await withTheirs(() => undefined)
    if (seen === null) return
    await editing.save(mine, seen)
    if (!editing.isConflict.value || editing.error.value !== null) return
    forget()
    await withTheirs(() => {
      if (!isGone.value) error.value = 'The file has changed once more. Compare it before you overwrite it.'
    })
  }
  /** The text counts as changed until the file has taken its place. */
  async function load(): Promise<void> {
    compared.value = null
    error.value = await reload()
  }
  return { isBusy, error, isGone, compared, compare, overwrite, load }
}
