import type { CliAccess } from '@slipway/protocol'
import { useEventListener, useSessionStorage } from '@vueuse/core'
import { computed, ref, watch } from 'vue'
import { listCliAccess } from '@/api/agents/credentials.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'

/**
 * How often to check for access while there is none, in milliseconds. The page gets no event when a user signs in
 * within the terminal.
 */
const RECHECK_MS = 20_000
/** How many dismissed sessions a tab remembers. It drops the oldest. */
const DISMISSED_MAX = 50

export interface UseCliAccessOptions {
  agentKey: () => string
  runtime: () => string
  /** Whether a terminal with the agent's own program is connected and visible. */
  shown: () => boolean
  /** The connected session. */
  sessionId: () => string | null
}

/** Whether the agent's program has no key, and whether a key was added only after the program started. */
export function useCliAccess({ agentKey, runtime, shown, sessionId }: UseCliAccessOptions) {
  const access = ref<CliAccess | null>(null)
  /** Whether to keep checking: until access is known, and while there is none. */
  const isOpen = ref(true)
  /** The session that ran without a key at the last check. */
  const without = ref<string | null>(null)
  const dismissed = useSessionStorage<string[]>('slipway-no-key-dismissed', [])
  const isDismissed = computed(() => dismissed.value.includes(sessionId() ?? ''))

  async function read(): Promise<void> {
    const id = sessionId()
    const all = await listCliAccess(agentKey())
    if (id !== sessionId()) return
    access.value = all.find((one) => one.runtime === runtime()) ?? null
    // A busy machine may not have looked in time, so that it is unknown.
    isOpen.value = access.value?.by === 'none' || access.value?.by === 'unknown'
    if (access.value?.by === 'none') without.value = id
  }

  const isWanted = (): boolean => shown() && sessionId() !== null && !isDismissed.value
  const { refresh } = usePolling(read, RECHECK_MS, () => isWanted() && isOpen.value)
  watch([sessionId, runtime], () => {
    access.value = null
    isOpen.value = true
  })
  useEventListener(window, 'focus', () => isWanted() && isOpen.value && void refresh())

  return {
    /** What is missing; null if there is nothing to report. */
    missing: computed(() => (isWanted() && access.value?.by === 'none' ? access.value : null)),
    /** Whether a key exists now that was missing when the program started. */
    isLate: computed(() => isWanted() && access.value?.by === 'credential' && without.value === sessionId()),
    dismiss(): void {
      const id = sessionId()
      if (id !== null) dismissed.value = [...dismissed.value, id].slice(-DISMISSED_MAX)
    },
  }
}
