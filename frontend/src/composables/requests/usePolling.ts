import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { messageOf } from '@/api/transport/errors.ts'

/**
 * Polls while `wanted` is true and the page is visible. Only one request runs at a time. A `refresh` during a request makes
 * one further request, whose answer it waits for: the answer under way may be older than what the refresh is about.
 */
export function usePolling<T>(read: () => Promise<T>, ms: number, wanted: () => boolean) {
  const data = shallowRef<T | null>(null)
  const error = ref<string | null>(null)
  const visibility = useDocumentVisibility()
  let reading: Promise<void> | null = null
  /** Whether a refresh was asked for since the last request began. */
  let isStale = false
  let disposed = false

  async function readOnce(): Promise<void> {
    try {
      const answer = await read()
      if (disposed) return
      data.value = answer
      error.value = null
    } catch (cause) {
      if (!disposed) error.value = messageOf(cause)
    }
  }

  async function readAll(): Promise<void> {
    // All that asks in one tick shares the request.
    await Promise.resolve()
    while (isStale && !disposed) {
      isStale = false
      await readOnce()
    }
    reading = null
  }

  function refresh(): Promise<void> {
    isStale = true
    return (reading ??= readAll())
  }

  const { pause, resume } = useIntervalFn(() => reading === null && void refresh(), ms, { immediate: false })
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
