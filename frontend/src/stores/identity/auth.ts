import type { AcceptInvitationBody, LoginBody, SetupBody, User } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import * as api from '@/api/identity/auth.ts'
import { ApiError, isOtherUser } from '@/api/transport/errors.ts'

/** `expired`: the sign-in ended while a page was open. The page stays visible until the user signs in again. */
export type AuthStatus = 'unknown' | 'anonymous' | 'signed-in' | 'expired'

export const useAuthStore = defineStore('auth', () => {
  const user = ref<User | null>(null)
  const status = ref<AuthStatus>('unknown')
  const isAdmin = computed(() => user.value?.role === 'admin')

  /** The server's reason for ending the sign-in, if it gave one. */
  const reason = ref<string | null>(null)

  api.onRenewed((who) => {
    if (status.value === 'signed-in') user.value = who
  })
  api.onSignInExpired((why) => {
    reason.value ??= why
    status.value = user.value === null ? 'anonymous' : 'expired'
  })

  function welcome(who: User): void {
    user.value = who
    status.value = 'signed-in'
    reason.value = null
  }

  /** Restores the sign-in of an earlier visit. Throws if the server is out of reach; then the caller may retry. */
  async function restore(): Promise<void> {
    if (status.value !== 'unknown') return
    if (!api.mayResume()) {
      status.value = 'anonymous'
      return
    }
    try {
      welcome(await api.resume())
    } catch (error) {
      if (!(error instanceof ApiError) || error.statusCode !== 401) throw error
    }
  }

  /** Asks the server whether the sign-in is still valid. If not, `status` changes. */
  async function verify(): Promise<boolean> {
    try {
      welcome(await api.resume())
      return true
    } catch {
      return false
    }
  }

  /**
   * Reloads the user, whose role may have changed without an event. Other requests depend on the role. If this fails,
   * the next renewal updates the user.
   */
  async function refresh(): Promise<void> {
    const who = await api.readMe().catch(() => null)
    if (who !== null && status.value === 'signed-in' && user.value?.id === who.id) user.value = who
  }

  /** False: another user has signed in with this browser, so what it keeps is theirs. */
  async function logOut(): Promise<boolean> {
    // If the server does not answer, the cookie stays until it expires, but this page has dropped the sign-in.
    const isMine = await api.logOut().then(
      () => true,
      (cause: unknown) => !isOtherUser(cause),
    )
    user.value = null
    status.value = 'anonymous'
    return isMine
  }

  return {
    user,
    status,
    reason,
    isAdmin,
    restore,
    verify,
    refresh,
    logOut,
    logIn: async (body: LoginBody) => welcome(await api.logIn(body)),
    setUp: async (body: SetupBody) => welcome(await api.setUp(body)),
    acceptInvitation: async (body: AcceptInvitationBody) => welcome(await api.acceptInvitation(body)),
  }
})
