import { type Dialog, noticeKindOf, noticeOf, type NotificationKind, terminalLine } from '@slipway/protocol'
import { useDocumentVisibility, useTimeoutFn, useWindowFocus } from '@vueuse/core'
import { computed, onScopeDispose, watch } from 'vue'
import { useRouter, type RouteLocationRaw } from 'vue-router'
import { withTab } from '@/composables/terminal/tabs/useAskedTab.ts'
import { notify } from '@/lib/browser/notifications.ts'
import { isInSight, isTerminalInSight } from '@/lib/dialogs/inSight.ts'
import { keyOf, pageOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'

/** How long something has to wait before it is told, in milliseconds. By then its card is drawn, or it is answered. */
const SETTLE_MS = 1_000
/** When a window that shows the card says so to the user's other windows, in milliseconds. */
const SAID_MS = 400
/** Least time between two notifications, in milliseconds: an agent may ask any number of questions. */
const EVERY_MS = 10_000
/** All windows of one browser replace each other's notification. */
const TAG = 'slipway-needs-you'
const CHANNEL = 'slipway-looked-at'

/** What waits for the user: a question, or a terminal whose program waits. */
interface Waiting {
  readonly id: string
  readonly kind: NotificationKind
  readonly agent: string | null
  readonly title: string
  readonly page: RouteLocationRaw
  readonly isInSight: () => boolean
}

const ofDialog = (dialog: Dialog): Waiting => ({
  id: dialog.id,
  kind: noticeKindOf(dialog),
  ...{ agent: dialog.agent, title: dialog.title },
  page: dialog.sessionId === null ? '/' : `/coding-agents/${dialog.sessionId}`,
  isInSight: () => isInSight(dialog.id),
})

/**
 * Notifies the user of questions and terminals that wait for them, if they have turned notifications on. What they look at
 * in any of their windows makes none. Questions that were open when the page was opened make none either.
 */
export function useDialogNotices(): void {
  const dialogs = useDialogsStore()
  const agents = useAgentsStore()
  const preferences = usePreferencesStore()
  const router = useRouter()
  const focused = useWindowFocus()
  const visibility = useDocumentVisibility()
  const channel = new BroadcastChannel(CHANNEL)
  /** What was told, or need not be. What does not wait any more leaves it. */
  let known: Set<string> | null = null
  let close = (): void => undefined
  let lastAt = Number.NEGATIVE_INFINITY

  const waiting = computed((): Waiting[] => {
    const terminals = agents.needing.map(({ agent, sessionId, tab, needs }) => ({
      ...{ id: sessionId, kind: 'terminals' as const, agent: agent.name, title: terminalLine(needs) },
      page: withTab(pageOf(keyOf(agent)), tab),
      isInSight: () => isTerminalInSight(agent.name, tab),
    }))
    return [...dialogs.needed.map(ofDialog), ...terminals]
  })
  const isLookedAt = (one: Waiting): boolean => focused.value && visibility.value === 'visible' && one.isInSight()
  const untold = (): Waiting[] => waiting.value.filter(({ id }) => known?.has(id) === false)

  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (Array.isArray(data)) for (const id of data) if (typeof id === 'string') known?.add(id)
  }

  const { start: say } = useTimeoutFn(
    () => {
      const seen = untold().filter(isLookedAt)
      if (seen.length > 0) channel.postMessage(seen.map(({ id }) => id))
    },
    SAID_MS,
    { immediate: false },
  )
  const { start: tellSoon, isPending } = useTimeoutFn(tell, () => Math.max(SETTLE_MS, lastAt + EVERY_MS - Date.now()), {
    immediate: false,
  })

  function tell(): void {
    const fresh = untold()
    for (const { id } of fresh) known?.add(id)
    const wanted = fresh.filter((one) => !isLookedAt(one) && preferences.mayTell(one.kind)).reverse()
    const [newest, ...others] = wanted
    if (newest === undefined) return
    lastAt = Date.now()
    const { title, body } = noticeOf([newest, ...others])
    close = notify(title, body, TAG, () => void router.push(others.length === 0 ? newest.page : '/'))
  }

  watch(
    () => [dialogs.loaded, waiting.value] as const,
    ([loaded, needed]) => {
      if (!loaded) return void (known = null)
      if (known === null) return void (known = new Set(needed.map(({ id }) => id)))
      const open = new Set(needed.map(({ id }) => id))
      for (const id of known) if (!open.has(id)) known.delete(id)
      if (needed.length === 0) close()
      if (untold().length === 0) return
      say()
      if (!isPending.value) tellSoon()
    },
    { immediate: true },
  )
  onScopeDispose(() => channel.close())
}
