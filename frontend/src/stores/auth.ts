import type { AcceptInvitationBody, LoginBody, SetupBody, User } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import * as api from '@/api/auth.ts'
import { ApiError } from '@/api/transport/errors.ts'

/** `expired`: the sign-in has ended under a page in use; what is on the screen stays until the person signs in again. */
export type AuthStatus = 'unknown' | 'anonymous' | 'signed-in' | 'expired'

export const useAuthStore = defineStore('auth', () => {
  const user = ref<User | null>(null)
  const status = ref<AuthStatus>('unknown')
  const isAdmin = computed(() => user.value?.role === 'admin')

  /** Why the server ended the sign-in, where it said so. */
  const reason = ref<string | null>(null)

  api.onRenewed((who) => {
    if (status.value === 'signed-in') user.value = who
  })
  api.onSignInExpired(() => {
    status.value = user.value === null ? 'anonymous' : 'expired'
  })

  function welcome(who: User): void {
    user.value = who
    status.value = 'signed-in'
    reason.value = null
  }

  /** Picks up the sign-in of an earlier visit. Where the server cannot be reached this throws, and may be tried again. */
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

  /** Asks the server whether the sign-in still holds; where it does not, the status says so afterwards. */
  async function verify(): Promise<boolean> {
    try {
      welcome(await api.resume())
      return true
    } catch {
      return false
    }
  }

  /** Takes over what may have changed unheard, such as a role, on which depends what else is read. Where nobody answers the next renewal tells. */
  async function refresh(): Promise<void> {
    const who = await api.readMe().catch(() => null)
    if (who !== null && status.value === 'signed-in' && user.value?.id === who.id) user.value = who
  }

  async function logOut(): Promise<void> {
    await api.logOut().catch(() => {
      // Without an answer the cookie stays until it expires, but this page has forgotten all.
    })
    user.value = null
    status.value = 'anonymous'
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
