import { usePermission } from '@vueuse/core'
import { readonly, ref, watch } from 'vue'
import { mayNotify } from '@/lib/browser/notifications.ts'

/**
 * Whether this browser allows notifications now. The user may change that in the browser's settings while a page is
 * open.
 */
export function useMayNotify() {
  const may = ref(mayNotify())
  const look = (): void => void (may.value = mayNotify())
  watch(usePermission('notifications'), look)

  /**
   * Asks the user for permission if it is not decided yet. Resolves with whether the browser allows notifications. Call
   * it from a click, because browsers ignore it otherwise.
   */
  async function ask(): Promise<boolean> {
    if (may.value === 'default') await Notification.requestPermission()
    look()
    return may.value === 'granted'
  }

  return { may: readonly(may), ask }
}
