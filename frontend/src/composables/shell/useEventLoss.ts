import { useTimeoutFn } from '@vueuse/core'
import { type Ref, ref, watch } from 'vue'
import { useAgentsStore } from '@/stores/agents/agents.ts'

/** After this time without the event stream a page asks over REST, and how often, in milliseconds. */
export const LOSS_POLL_MS = 3_000

/** Whether the event stream has been lost for so long that a page asks over REST. */
export function useEventLoss(): Readonly<Ref<boolean>> {
  const agents = useAgentsStore()
  const isLost = ref(false)
  const { start, stop } = useTimeoutFn(() => (isLost.value = true), LOSS_POLL_MS, { immediate: false })
  watch(
    () => agents.online,
    (online) => {
      if (online) stop()
      else start()
      if (online) isLost.value = false
    },
    { immediate: true },
  )
  return isLost
}
