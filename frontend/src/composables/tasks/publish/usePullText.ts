import type { PullText } from '@slipway/protocol'
import { ref, shallowRef, watch } from 'vue'
import { readPullText } from '@/api/git/publications.ts'
import { messageOf } from '@/api/transport/errors.ts'

/**
 * The title and the text that the open pull request of a task has at its host, with what the task adds. The host is asked
 * once they are wanted, and again when the pull request, which `of` names, has changed. Null names none.
 */
export function usePullText(task: string, of: () => string | null) {
  const isWanted = ref(false)
  const text = shallowRef<PullText | null>(null)
  const error = ref<string | null>(null)
  const isLoading = ref(false)

  let asked = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    isLoading.value = true
    const found = await readPullText(task).catch((cause: unknown) => messageOf(cause))
    if (number !== asked) return
    isLoading.value = false
    error.value = typeof found === 'string' ? found : null
    text.value = typeof found === 'string' ? null : found
  }
  watch([isWanted, of], async ([wanted, pull]) => {
    if (wanted && pull !== null) return load()
    asked += 1
    isLoading.value = false
    error.value = text.value = null
  })

  return { isWanted, text, error, isLoading, load }
}
