import { onMounted, onScopeDispose, ref, type Ref } from 'vue'
import { messageOf } from '@/api/transport/errors.ts'

/** A list from the server, for a page. Null until it has loaded. */
export function useList<T>(read: () => Promise<T[]>) {
  const items = ref(null) as Ref<T[] | null>
  const error = ref<string | null>(null)
  let disposed = false

  async function load(): Promise<void> {
    error.value = null
    try {
      const answer = await read()
      if (!disposed) items.value = answer
    } catch (cause) {
      if (!disposed) error.value = messageOf(cause)
    }
  }

  onMounted(load)
  onScopeDispose(() => (disposed = true))
  return { items, error, load }
}
