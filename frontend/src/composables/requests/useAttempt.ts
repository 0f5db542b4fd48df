import { useToast } from '@nuxt/ui/composables'
import { messageOf } from '@/api/transport/errors.ts'

/** Does something, and says in a toast when it failed. Resolves with whether it went through. */
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
