import { usePermission } from '@vueuse/core'
import { readonly, ref, watch } from 'vue'
import { mayNotify } from '@/lib/browser/notifications.ts'

/** Whether this browser may notify, as it is now: a person can change it in the browser's settings while a page is open. */
export function useMayNotify() {
  const may = ref(mayNotify())
  const look = (): void => void (may.value = mayNotify())
  watch(usePermission('notifications'), look)

  /** Whether it may, asking the person where nobody has. Call it from a click: browsers ignore it otherwise. */
  async function ask(): Promise<boolean> {
    if (may.value === 'default') await Notification.requestPermission()
    look()
    return may.value === 'granted'
  }

  return { may: readonly(may), ask }
}
