import { ref } from 'vue'
import { accessToken } from '@/api/identity/auth.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { watchUrl } from '@/api/sessions/sockets.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import { explainGuestEnd } from '@/terminal/session/guestEnds.ts'
import { introduceGuest, type Admission } from '@/terminal/session/hello.ts'
import { useTerminalLink, type SessionListeners } from './useTerminalLink.ts'

export interface UseWatchedSessionOptions extends SessionListeners {
  admission: Admission
}

/** Another user's session, opened with a link, or by the access to its agent. */
export function useWatchedSession(options: UseWatchedSessionOptions) {
  const auth = useAuthStore()
  const providers = useProvidersStore()
  const agentName = ref<string | null>(null)
  const holder = ref<string | null>(null)
  let program = 'The program'

  /** The access token of a signed-in guest. Guests without an account use the link alone. */
  async function tokenIfAny(fresh: boolean): Promise<string | null> {
    if (auth.status !== 'signed-in') return null
    try {
      return await accessToken(fresh)
    } catch (error) {
      if (error instanceof ApiError && error.statusCode === 401) return null
      throw error
    }
  }

  const link = useTerminalLink({
    ...options,
    to: () => ({
      url: watchUrl(),
      introduce: introduceGuest({ ...options.admission, token: tokenIfAny }),
      isGuest: true,
    }),
    learn: (connected) => {
      agentName.value = connected.agentName
      holder.value = connected.holder
      if (connected.mode !== null) program = providers.programLabel(connected.mode)
    },
    explain: (end) => explainGuestEnd(end, program, 'link' in options.admission),
  })

  return { ...link, agentName, holder }
}
