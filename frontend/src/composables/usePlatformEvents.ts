import { onScopeDispose, watch } from 'vue'
import { followEvents } from '@/api/events.ts'
import { accessToken } from '@/api/auth.ts'
import { eventsUrl } from '@/api/sockets.ts'
import { useAgentsStore } from '@/stores/agents.ts'
import { useAuthStore } from '@/stores/auth.ts'

/** Keeps the agents as they are: follows what changes, and reads all of them again after each gap. */
export function usePlatformEvents(): void {
  const auth = useAuthStore()
  const agents = useAgentsStore()
  let close = () => {}
  // Nothing of whoever was signed in before.
  agents.clear()

  watch(
    () => auth.status,
    (status) => {
      close()
      close = () => {}
      if (status !== 'signed-in') return
      close = followEvents({
        url: eventsUrl(),
        token: accessToken,
        onEvent: (event) => {
          if (event.type === 'error') auth.reason = event.message
          else agents.apply(event)
        },
        onOnline: (online) => {
          agents.online = online
          if (online) auth.reason = null
          if (!online) agents.clearSessions()
          // Read once changes are followed, so that none falls in between; and without them, too.
          if (online || !agents.loaded) void agents.load()
        },
      }).close
    },
    { immediate: true },
  )
  onScopeDispose(() => close())
}
