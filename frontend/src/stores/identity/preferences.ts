import {
  type ChangePreferences,
  DEFAULT_PREFERENCES,
  isQuiet,
  type NotificationKind,
  type NotificationPreferences,
  type Preferences,
  type TerminalPreferences,
} from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { messageOf } from '@/api/transport/errors.ts'
import * as api from '@/api/identity/preferences.ts'
import { useAuthStore } from './auth.ts'

/**
 * Cache of the last known preferences on this device. With it, a terminal need not wait for the server, and its look
 * does not change after it has opened.
 */
const CACHE_KEY = 'slipway-preferences'

/** The groups that this store knows. */
type Known = Pick<Preferences, 'terminal' | 'notifications'>

/** An earlier version may have stored fewer groups. */
type Cached = { userId: string } & Partial<Known>

/**
 * The user's preferences for terminals and notifications. The account stores them. A change applies at once, then goes to
 * the server.
 */
export const usePreferencesStore = defineStore('preferences', () => {
  const auth = useAuthStore()
  const chosen = ref<Cached | null>(null)
  /** Why the last change exists only on this device. */
  const error = ref<string | null>(null)
  /**
   * Changes that the server does not have yet. Only these are sent, because other fields may be older than a change on
   * another device.
   */
  let unsent: ChangePreferences | null = null
  let sending = false
  /** Number of changes on this device. A response from before the last change must not undo it. */
  let changes = 0
  const isAhead = (): boolean => unsent !== null || sending

  const own = computed(() => (chosen.value?.userId === auth.user?.id ? chosen.value : null))
  const terminal = computed<TerminalPreferences>(() => ({ ...DEFAULT_PREFERENCES.terminal, ...own.value?.terminal }))
  const notifications = computed<NotificationPreferences>(() => ({
    ...DEFAULT_PREFERENCES.notifications,
    ...own.value?.notifications,
  }))

  function keep(userId: string, next: Known): void {
    chosen.value = { userId, terminal: next.terminal, notifications: next.notifications }
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
    if (found !== null && !isAhead() && changes === before && auth.user?.id === userId) keep(userId, found)
  }

  async function apply(changed: ChangePreferences): Promise<void> {
    const userId = auth.user?.id
    if (userId === undefined) return
    const now = { terminal: terminal.value, notifications: notifications.value }
    keep(userId, merged(now, changed))
    changes += 1
    unsent = merged(unsent ?? {}, changed)
    await send()
  }

  /** Sends one change at a time, the newest last. */
  async function send(): Promise<void> {
    if (sending) return
    sending = true
    let sent: ChangePreferences | null = null
    try {
      while (unsent !== null) {
        sent = unsent
        unsent = null
        await api.writePreferences(sent)
        error.value = null
      }
    } catch (cause) {
      unsent = merged(sent ?? {}, unsent ?? {})
      error.value = messageOf(cause)
    } finally {
      sending = false
    }
  }

  /** Whether the user wants a notification of this kind now. */
  const mayTell = (kind: NotificationKind): boolean =>
    terminal.value.notify && notifications.value[kind] && !isQuiet(notifications.value.quietHours, Date.now())

  return {
    terminal,
    notifications,
    error,
    load,
    mayTell,
    change: (changed: Partial<TerminalPreferences>) => apply({ terminal: changed }),
    changeNotifications: (changed: Partial<NotificationPreferences>) => apply({ notifications: changed }),
  }
})

/** The fields of both. Those of `over` win. */
const merged = <T extends ChangePreferences>(under: T, over: ChangePreferences): T => ({
  ...under,
  ...(over.terminal && { terminal: { ...under.terminal, ...over.terminal } }),
  ...(over.notifications && { notifications: { ...under.notifications, ...over.notifications } }),
})

function cached(): Cached | null {
  try {
    return JSON.parse(localStorage.getItem(CACHE_KEY) ?? 'null') as Cached | null
  } catch {
    return null
  }
}
