import { type Dialog, noticeKindOf, noticeOf } from '@slipway/protocol'
import { useDocumentVisibility, useTimeoutFn, useWindowFocus } from '@vueuse/core'
import { onScopeDispose, watch } from 'vue'
import { useRouter } from 'vue-router'
import { notify } from '@/lib/browser/notifications.ts'
import { isInSight } from '@/lib/dialogs/inSight.ts'
import { useDialogsStore } from '@/stores/dialogs.ts'
import { usePreferencesStore } from '@/stores/preferences.ts'

/** How long a question has to be open before it is told, in milliseconds. By then its card is drawn, or it is answered. */
const SETTLE_MS = 1_000
/** When a window that shows the card says so to the user's other windows, in milliseconds. */
const SAID_MS = 400
/** Least time between two notifications, in milliseconds: an agent may ask any number of questions. */
const EVERY_MS = 10_000
/** All windows of one browser replace each other's notification. */
const TAG = 'slipway-needs-you'
const CHANNEL = 'slipway-looked-at'

/**
 * Notifies the user of questions that wait for them, if they have turned notifications on. A question at which they look
 * in any of their windows makes none. What was open when the page was opened makes none either.
 */
export function useDialogNotices(): void {
  const dialogs = useDialogsStore()
  const preferences = usePreferencesStore()
  const router = useRouter()
  const focused = useWindowFocus()
  const visibility = useDocumentVisibility()
  const channel = new BroadcastChannel(CHANNEL)
  /** Questions that were told, or need not be. Those that are closed leave it. */
  let known: Set<string> | null = null
  let close = (): void => undefined
  let lastAt = Number.NEGATIVE_INFINITY

  const isLookedAt = ({ id }: Dialog): boolean => focused.value && visibility.value === 'visible' && isInSight(id)
  const untold = (): Dialog[] => dialogs.needed.filter(({ id }) => known?.has(id) === false)

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
    const wanted = fresh.filter((dialog) => !isLookedAt(dialog) && preferences.mayTell(noticeKindOf(dialog))).reverse()
    const [newest, ...others] = wanted
    if (newest === undefined) return
    lastAt = Date.now()
    const page = newest.sessionId === null ? '/' : `/coding-agents/${newest.sessionId}`
    const { title, body } = noticeOf([newest, ...others])
    close = notify(title, body, TAG, () => void router.push(others.length === 0 ? page : '/'))
  }

  watch(
    () => [dialogs.loaded, dialogs.needed] as const,
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
