import { ref } from 'vue'
import { messageOf } from '@/api/transport/errors.ts'

/** Submits a form, once at a time, and holds the error message. */
export function useSubmit(send: () => Promise<void>) {
  const busy = ref(false)
  const error = ref<string | null>(null)

  async function submit(): Promise<void> {
    if (busy.value) return
    busy.value = true
    error.value = null
    try {
      await send()
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      busy.value = false
    }
  }

  return { busy, error, submit }
}
