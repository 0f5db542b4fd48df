import { useToast } from '@nuxt/ui/composables'
import { watch } from 'vue'
import { reloadAt } from '@/lib/browser/ownAddress.ts'
import { useStartStore } from '@/stores/shell/start.ts'

const AWAITED = 'part-awaited'

/** Tells the user if a part of the page failed to load, and what they can do. */
export function usePartNotices(): void {
  const start = useStartStore()
  const toast = useToast()

  watch(
    () => start.isAwaiting,
    (isAwaiting) => {
      if (!isAwaiting) return toast.remove(AWAITED)
      toast.add({
        id: AWAITED,
        title: 'A part of this page did not load',
        description: 'Check your connection. Slipway tries again every few seconds.',
        icon: 'i-lucide-unplug',
        color: 'warning',
        duration: 0,
      })
    },
  )
  watch(
    () => start.torn,
    (torn) => {
      if (torn === null) return
      toast.add({
        id: 'part-torn',
        title: 'A part of this page could not be loaded',
        description: 'Send or copy your text, then reload the page.',
        icon: 'i-lucide-rotate-cw',
        color: 'warning',
        duration: 0,
        actions: [{ label: 'Reload', onClick: () => reloadAt(torn.place) }],
      })
    },
  )
}
