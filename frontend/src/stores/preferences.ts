import { DEFAULT_PREFERENCES, type TerminalPreferences } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { messageOf } from '@/api/transport/errors.ts'
import * as api from '@/api/preferences.ts'
import { useAuthStore } from './auth.ts'

/**
 * Cache of the last known preferences on this device. With it, a terminal need not wait for the server, and its look
 * does not change after it has opened.
 */
const CACHE_KEY = 'slipway-preferences'

interface Cached {
  userId: string
  terminal: TerminalPreferences
}

/** The user's preferences for terminals. The account stores them. A change applies at once, then goes to the server. */
export const usePreferencesStore = defineStore('preferences', () => {
  const auth = useAuthStore()
  const chosen = ref<Cached | null>(null)
  /** Why the last change exists only on this device. */
  const error = ref<string | null>(null)
  /**
   * Changes that the server does not have yet. Only these are sent, because other fields may be older than a change on
   * another device.
   */
  let unsent: Partial<TerminalPreferences> | null = null
  let sending = false
  /** Number of changes on this device. A response from before the last change must not undo it. */
  let changes = 0
  const isAhead = (): boolean => unsent !== null || sending

  const terminal = computed<TerminalPreferences>(() => {
    const own = chosen.value?.userId === auth.user?.id ? chosen.value : null
    return { ...DEFAULT_PREFERENCES.terminal, ...own?.terminal }
  })

  function keep(userId: string, next: TerminalPreferences): void {
    chosen.value = { userId, terminal: next }
    localStorage.setItem(CACHE_KEY, JSON.stringify(chosen.value))
  }

  /** Loads the preferences, which another device may have changed. Unsent changes go first. */
  async function load(): Promise<void> {
    const userId = auth.user?.id
    if (userId === undefined) return
    chosen.value ??= cached()
    if (isAhead()) return send()
    const before = changes
    const found = await api.readPreferences().catch(() => null)
    if (found !== null && !isAhead() && changes === before && auth.user?.id === userId) keep(userId, found.terminal)
  }

  async function change(changed: Partial<TerminalPreferences>): Promise<void> {
    const userId = auth.user?.id
    if (userId === undefined) return
    keep(userId, { ...terminal.value, ...changed })
    changes += 1
    unsent = { ...unsent, ...changed }
    await send()
  }

  /** Sends one change at a time, the newest last. */
  async function send(): Promise<void> {
    if (sending) return
    sending = true
    let sent: Partial<TerminalPreferences> | null = null
    try {
      while (unsent !== null) {
        sent = unsent
        unsent = null
        await api.writePreferences({ terminal: sent })
        error.value = null
      }
    } catch (cause) {
      unsent = { ...sent, ...unsent }
      error.value = messageOf(cause)
    } finally {
      sending = false
    }
  }

  return { terminal, error, load, change }
})

function cached(): Cached | null {
  try {
    return JSON.parse(localStorage.getItem(CACHE_KEY) ?? 'null') as Cached | null
  } catch {
    return null
  }
}
