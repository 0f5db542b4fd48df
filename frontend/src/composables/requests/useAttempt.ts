import { useToast } from '@nuxt/ui/composables'
import { messageOf } from '@/api/transport/errors.ts'

/** Runs an action and shows a toast if it fails. Resolves with whether it succeeded. */
export function useAttempt() {
  const toast = useToast()
  return async (failure: string, act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act()
      return true
    } catch (error) {
      toast.add({ title: failure, description: messageOf(error), color: 'error', icon: 'i-lucide-circle-alert' })
      return false
    }
  }
}
