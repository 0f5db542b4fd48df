import { useEventListener } from '@vueuse/core'
import { watch } from 'vue'
import { useAuthStore } from '@/stores/auth.ts'
import { usePreferencesStore } from '@/stores/preferences.ts'

/** Keeps the preferences as the account has them: read at each sign-in, and when the person comes back to this page. */
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
