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

/** Changes that the server does not have yet. */
interface Unsent {
  readonly userId: string
  readonly changed: ChangePreferences
}

/**
 * The user's preferences for terminals and notifications. The account stores them. A change applies at once, then goes to
 * the server.
 */
export const usePreferencesStore = defineStore('preferences', () => {
  const auth = useAuthStore()
  const chosen = ref<Cached | null>(null)
  const failed = ref<{ userId: string; message: string } | null>(null)
  /**
   * Only these are sent, because other fields may be older than a change on another device. Another user may sign in
   * next, so they belong to their user.
   */
  let unsent: Unsent | null = null
  let sending: Unsent | null = null
  /** Number of changes on this device. A response from before the last change must not undo it. */
  let changes = 0
  const unsentOf = (userId: string): ChangePreferences => (unsent?.userId === userId ? unsent.changed : {})
  const isAhead = (userId: string): boolean => unsent?.userId === userId || sending?.userId === userId

  /** Why the last change exists only on this device. */
  const error = computed(() => (failed.value?.userId === auth.user?.id ? (failed.value?.message ?? null) : null))
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

  /** Loads the preferences, which another device may have changed. Unsent changes go first; those of another user are dropped. */
  async function load(): Promise<void> {
    const userId = auth.user?.id
    if (userId === undefined) return
    chosen.value ??= cached()
    if (unsent?.userId !== userId) unsent = null
    if (isAhead(userId)) return send()
    const before = changes
    const found = await api.readPreferences().catch(() => null)
    if (found !== null && !isAhead(userId) && changes === before && auth.user?.id === userId) keep(userId, found)
  }

  async function apply(changed: ChangePreferences): Promise<void> {
    const userId = auth.user?.id
    if (userId === undefined) return
    const now = { terminal: terminal.value, notifications: notifications.value }
    keep(userId, merged(now, changed))
    changes += 1
    unsent = { userId, changed: merged(unsentOf(userId), changed) }
    await send()
  }

  /** Sends one change at a time, the newest last. One of an earlier user is dropped. */
  async function send(): Promise<void> {
    if (sending !== null) return
    while (unsent !== null) {
      sending = unsent
      unsent = null
      const isSent = sending.userId !== auth.user?.id || (await sendOne(sending))
      sending = null
      if (!isSent) return
    }
  }

  /** Sends a change. False: it failed, and waits for the next try. */
  async function sendOne({ userId, changed }: Unsent): Promise<boolean> {
    try {
      await api.writePreferences(changed)
      failed.value = null
    } catch (cause) {
      if (auth.user?.id !== userId) return true
      unsent = { userId, changed: merged(changed, unsentOf(userId)) }
      failed.value = { userId, message: messageOf(cause) }
      return false
    }
    return true
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
