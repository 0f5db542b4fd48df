import { ref } from 'vue'
import { accessToken } from '@/api/auth.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { watchUrl } from '@/api/sockets.ts'
import { useAuthStore } from '@/stores/auth.ts'
import { useProvidersStore } from '@/stores/providers.ts'
import { explainGuestEnd } from '@/terminal/session/guestEnds.ts'
import { introduceGuest } from '@/terminal/session/hello.ts'
import { useTerminalLink, type SessionListeners } from './useTerminalLink.ts'

export interface UseWatchedSessionOptions extends SessionListeners {
  /** The link's secret. */
  secret: string
}

/** Another user's session, opened with the link that they shared. */
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
      introduce: introduceGuest({ link: options.secret, token: tokenIfAny }),
      isGuest: true,
    }),
    learn: (connected) => {
      agentName.value = connected.agentName
      holder.value = connected.holder
      if (connected.mode !== null) program = providers.programLabel(connected.mode)
    },
    explain: (end) => explainGuestEnd(end, program),
  })

  return { ...link, agentName, holder }
}
