import { DEFAULT_PREFERENCES, type TerminalPreferences } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { messageOf } from '@/api/transport/errors.ts'
import * as api from '@/api/preferences.ts'
import { useAuthStore } from './auth.ts'

/** What was last known on this device, so that a terminal need not wait for the server, nor change under its person's eyes. */
const CACHE_KEY = 'slipway-preferences'

interface Cached {
  userId: string
  terminal: TerminalPreferences
}

/** How this user likes their terminals. The account keeps it; what is changed here shows at once and is sent on. */
export const usePreferencesStore = defineStore('preferences', () => {
  const auth = useAuthStore()
  const chosen = ref<Cached | null>(null)
  /** Why the last change is on this device only. */
  const error = ref<string | null>(null)
  /** What the account does not have yet. No more than that is sent: the rest here may be older than what another device chose. */
  let unsent: Partial<TerminalPreferences> | null = null
  let sending = false
  /** Of this device, so far: an answer that one has overtaken on the way does not undo it. */
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

  /** Takes over what another device may have changed; what this one has still to send goes first. */
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

  /** One at a time, and the newest last. */
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
