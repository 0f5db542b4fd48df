import type { CliAccess } from '@slipway/protocol'
import { useEventListener, useSessionStorage } from '@vueuse/core'
import { computed, ref, watch } from 'vue'
import { listCliAccess } from '@/api/credentials.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'

/** How often it is looked for while there is none, in milliseconds: users sign in within the terminal, which nobody tells the page. */
const RECHECK_MS = 20_000
/** So many dismissed terminals are remembered by a tab. The oldest are forgotten. */
const DISMISSED_MAX = 50

export interface UseCliAccessOptions {
  agentKey: () => string
  runtime: () => string
  /** Whether a terminal of the agent's own program is connected and seen. */
  shown: () => boolean
  /** The session that is connected. */
  sessionId: () => string | null
}

/** Whether the agent's program has no key, and whether it runs without one that was added since. */
export function useCliAccess({ agentKey, runtime, shown, sessionId }: UseCliAccessOptions) {
  const access = ref<CliAccess | null>(null)
  /** Whether it has to be looked at: until it is known, and as long as there is no key. */
  const isOpen = ref(true)
  /** The session that was seen to run without a key. */
  const without = ref<string | null>(null)
  const dismissed = useSessionStorage<string[]>('slipway-no-key-dismissed', [])
  const isDismissed = computed(() => dismissed.value.includes(sessionId() ?? ''))

  async function read(): Promise<void> {
    const id = sessionId()
    const all = await listCliAccess(agentKey())
    if (id !== sessionId()) return
    access.value = all.find((one) => one.runtime === runtime()) ?? null
    isOpen.value = access.value?.by === 'none'
    if (isOpen.value) without.value = id
  }

  const isWanted = (): boolean => shown() && sessionId() !== null && !isDismissed.value
  const { refresh } = usePolling(read, RECHECK_MS, () => isWanted() && isOpen.value)
  watch([sessionId, runtime], () => {
    access.value = null
    isOpen.value = true
  })
  useEventListener(window, 'focus', () => isWanted() && isOpen.value && void refresh())

  return {
    /** What there is to say about it: null, nothing. */
    missing: computed(() => (isWanted() && access.value?.by === 'none' ? access.value : null)),
    /** Whether it has a key now that it did not have when it started. */
    isLate: computed(() => isWanted() && access.value?.by === 'credential' && without.value === sessionId()),
    dismiss(): void {
      const id = sessionId()
      if (id !== null) dismissed.value = [...dismissed.value, id].slice(-DISMISSED_MAX)
    },
  }
}
