import { useToast } from '@nuxt/ui/composables'
import type { Explanation } from '@/terminal/session/ends.ts'

/** Toasts about a session, only for what its page does not show already. */
export function useSessionNotices(agentName: () => string, visible: () => boolean) {
  const toast = useToast()

  return {
    disconnected(why: Explanation | null): void {
      // A user who sees the terminal reads this in its strip and toolbar.
      if (visible()) return
      toast.add({
        title: 'Disconnected',
        description: `${agentName()}: ${why?.title ?? 'you disconnected.'}`,
        icon: 'i-lucide-unplug',
        color: why?.tone === 'error' ? 'error' : 'neutral',
        duration: 4_000,
      })
    },
    otherRuns(running: string, chosen: string): void {
      toast.add({
        title: `${running} is still running in this terminal`,
        description: `Switch again to end it and start ${chosen}.`,
        color: 'warning',
        duration: 8_000,
      })
    },
    inputCut(why?: 'control'): void {
      toast.add({
        title: 'Part of your paste was not sent',
        description: why === 'control' ? 'Another person took control.' : 'The connection was lost.',
        color: 'warning',
        duration: 8_000,
      })
    },
  }
}
