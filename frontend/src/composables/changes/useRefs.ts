import type { GitRefs } from '@slipway/protocol'
import { ref, shallowRef, watch } from 'vue'
import { listRefs } from '@/api/git/git.ts'
import { messageOf } from '@/api/transport/errors.ts'

/** The branches and tags of a repository, read again with each look at it. */
export function useRefs(key: () => string, repository: () => string, looks: () => number) {
  const refs = shallowRef<GitRefs | null>(null)
  const error = ref<string | null>(null)
  let asked = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    try {
      const found = await listRefs(key(), repository())
      if (number !== asked) return
      refs.value = found
      error.value = null
    } catch (cause) {
      if (number === asked) error.value = messageOf(cause)
    }
  }
  watch(looks, load, { immediate: true })
  return { refs, error, load }
}
