import { computed, type ComputedRef } from 'vue'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { usePolling } from '../requests/usePolling.ts'
import { LOSS_POLL_MS, useEventLoss } from '../shell/useEventLoss.ts'

/** Keeps the questions up to date while the event stream is lost. Returns a sentence for screen readers. */
export function useNeeded(): ComputedRef<string> {
  const dialogs = useDialogsStore()
  const agents = useAgentsStore()
  const isLost = useEventLoss()
  usePolling(
    () => dialogs.load(),
    LOSS_POLL_MS,
    () => isLost.value,
  )
  return computed(() => {
    const { length } = dialogs.needed
    const questions = length === 1 ? '1 question of an agent needs you' : `${length} questions of agents need you`
    const terminals = agents.needing.map(({ agent }) => `The terminal of ${agent.name} needs you`)
    return [...(length === 0 ? [] : [questions]), ...terminals].join('. ')
  })
}
