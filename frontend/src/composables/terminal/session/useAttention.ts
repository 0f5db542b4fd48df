import { useDocumentVisibility, useThrottleFn, useWindowFocus } from '@vueuse/core'
import { computed, onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { useRouter } from 'vue-router'
import { withTab } from '@/composables/terminal/tabs/useAskedTab.ts'
import { notify } from '@/lib/browser/notifications.ts'
import { pageOf } from '@/stores/agents/agents.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { outranks, type Attention } from '@/terminal/programs/attention.ts'
import type { Screen } from '@/terminal/screen/screen.ts'

/** Least time between two notifications, in milliseconds. Of those in between, only the last one is shown. */
const EVERY_MS = 2_000
/**
 * The same notification is not shown again for this long, in milliseconds: a program that repeats itself is not news.
 */
const REPEAT_MS = 30_000

export interface UseAttentionOptions {
  screen: Readonly<ShallowRef<Screen | null>>
  agentKey: () => string
  /** Name of the terminal's tab; '': the one without a name. */
  tab: string
  agentName: () => string
  visible: () => boolean
}

/**
 * Marks this terminal while its program wants attention and the user does not look. Sends a notification if the user
 * has turned those on.
 */
export function useAttention({ screen, agentKey, tab, agentName, visible }: UseAttentionOptions): void {
  const terminals = useTerminalsStore()
  const preferences = usePreferencesStore()
  const router = useRouter()
  const focused = useWindowFocus()
  const visibility = useDocumentVisibility()
  const looking = computed(() => visible() && focused.value && visibility.value === 'visible')
  /**
   * What the program wants, even while the user looks. If the user turns away from an open question, the mark returns.
   */
  const wanted = shallowRef<Attention | null>(null)
  const mark = computed(() => (looking.value ? null : wanted.value))
  /** A request from before this page opened. It sends no notification. */
  let old: Attention | null = null
  let last = { text: '', at: Number.NEGATIVE_INFINITY }

  function hear(attention: Attention | null, isNews: boolean): void {
    if (!isNews) old = attention
    if (attention === null) {
      if (wanted.value?.kind === 'waits') wanted.value = null
      return
    }
    if (looking.value && attention.kind !== 'waits') return
    if (wanted.value === null || outranks(attention, wanted.value)) wanted.value = attention
  }

  watch(looking, (now) => {
    // Once the user has looked, the mark goes. Only a question keeps it until it is answered.
    if (now && wanted.value?.kind !== 'waits') wanted.value = null
  })
  const tell = useThrottleFn(
    (text: string) => {
      const at = performance.now()
      if (text === last.text && at - last.at < REPEAT_MS) return
      last = { text, at }
      const page = withTab(pageOf(agentKey()), tab)
      notify(agentName(), text, `slipway-${agentKey()}`, () => void router.push(page))
    },
    EVERY_MS,
    true,
  )
  watch(mark, (now) => {
    terminals.setAttention(agentKey(), tab, now)
    if (now !== null && now !== old && preferences.mayTell('terminals')) void tell(now.text)
  })
  watch(screen, (made) => made?.listenForAttention(hear), { immediate: true })
  onScopeDispose(() => terminals.setAttention(agentKey(), tab, null))
}
