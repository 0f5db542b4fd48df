import { useEventListener } from '@vueuse/core'
import { watch } from 'vue'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'

/**
 * Keeps the preferences in step with the account. Loads them at each sign-in and each time the user returns to this
 * page.
 */
export function usePreferences(): void {
  const auth = useAuthStore()
  const preferences = usePreferencesStore()
  watch(
    () => [auth.status, auth.user?.id],
    () => auth.status === 'signed-in' && void preferences.load(),
    { immediate: true },
  )
  useEventListener(window, 'focus', () => auth.status === 'signed-in' && void preferences.load())
}
