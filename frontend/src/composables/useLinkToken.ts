import { onBeforeUnmount } from 'vue'
import { useRoute } from 'vue-router'

/**
 * The one-time token in the address's fragment, which no server or log has seen. It is taken out of the address bar at
 * once, so that it stays in no history and on no screenshot.
 */
export function useLinkToken(): string | null {
  const route = useRoute()
  const token = new URLSearchParams(route.hash.slice(1)).get('token')
  if (token !== null) {
    const { path } = route
    // The router's own state is kept; only the fragment goes.
    const timer = setTimeout(() => history.replaceState(history.state, '', path))
    onBeforeUnmount(() => clearTimeout(timer))
  }
  return token
}
