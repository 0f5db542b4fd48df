import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { messageOf } from '@/api/transport/errors.ts'

/** Polls while `wanted` is true and the page is visible. Only one request runs at a time. */
export function usePolling<T>(read: () => Promise<T>, ms: number, wanted: () => boolean) {
  const data = shallowRef<T | null>(null)
  const error = ref<string | null>(null)
  const visibility = useDocumentVisibility()
  let under = false
  let disposed = false

  async function refresh(): Promise<void> {
    if (under) return
    under = true
    try {
      const answer = await read()
      if (disposed) return
      data.value = answer
      error.value = null
    } catch (cause) {
      if (!disposed) error.value = messageOf(cause)
    } finally {
      under = false
    }
  }

  const { pause, resume } = useIntervalFn(() => void refresh(), ms, { immediate: false })
  watch(
    () => wanted() && visibility.value === 'visible',
    (on) => {
      if (on) {
        void refresh()
        resume()
      } else {
        pause()
      }
    },
    { immediate: true },
  )
  onScopeDispose(() => (disposed = true))
  return { data, error, refresh }
}
