import type { GitDiff } from '@slipway/protocol'
import { ref, shallowRef, watch } from 'vue'
import { readFileDiff } from '@/api/git/git.ts'
import { messageOf } from '@/api/transport/errors.ts'
import type { ListedFile } from '@/lib/changes/groups.ts'

/** The diff of one file, read again with each look at the repository. The same diff stays the same object. */
export function useFileDiff(
  key: () => string,
  repository: () => string,
  listed: () => ListedFile,
  looks: () => number,
) {
  const diff = shallowRef<GitDiff | null>(null)
  const error = ref<string | null>(null)

  let asked = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    const { file, side } = listed()
    const old = file.oldId !== null && side === 'staged' ? { oldFile: file.oldId } : {}
    const found = await readFileDiff(key(), { repository: repository(), file: file.id, side, ...old }).catch(
      (cause: unknown) => messageOf(cause),
    )
    if (number !== asked) return
    error.value = typeof found === 'string' ? found : null
    if (typeof found !== 'string' && !isSame(found, diff.value)) diff.value = found
  }
  watch([() => listed().key, repository], () => (diff.value = null), { flush: 'sync' })
  watch([() => listed().key, repository, looks], load, { immediate: true })
  return { diff, error, load }
}

const isSame = (one: GitDiff, other: GitDiff | null): boolean =>
  other !== null && one.seen !== null && one.seen.base === other.seen?.base && one.seen.tree === other.seen.tree
