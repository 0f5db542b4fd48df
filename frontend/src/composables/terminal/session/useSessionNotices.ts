import { useToast } from '@nuxt/ui/composables'
import type { Explanation } from '@/terminal/session/ends.ts'

/** What is said about a session in passing. */
export function useSessionNotices(agentName: () => string, visible: () => boolean) {
  const toast = useToast()
  /** The toast of the present connection, which must not outlive it. */
  let greeting: string | number | undefined

  return {
    connected(): void {
      greeting = toast.add({ title: 'Connected!', icon: 'i-lucide-check', color: 'success', duration: 2_500 }).id
    },
    disconnected(why: Explanation | null): void {
      if (greeting !== undefined) toast.remove(greeting)
      toast.add({
        title: 'Disconnected',
        // What the strip under the terminal says need not be said twice.
        description: visible() ? undefined : `${agentName()}: ${why?.title ?? 'ended by you.'}`,
        icon: 'i-lucide-unplug',
        color: why?.tone === 'error' ? 'error' : 'neutral',
        duration: 4_000,
      })
    },
    otherRuns(running: string, chosen: string): void {
      toast.add({
        title: `${running} still runs in this terminal`,
        description: `Switch again to end it and start ${chosen}.`,
        color: 'warning',
        duration: 8_000,
      })
    },
    inputCut(why?: 'control'): void {
      toast.add({
        title: 'Part of what you pasted did not arrive',
        description: why === 'control' ? 'Somebody else got control.' : 'The connection was lost under it.',
        color: 'warning',
        duration: 8_000,
      })
    },
  }
}
