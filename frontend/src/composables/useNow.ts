import { createSharedComposable, useIntervalFn } from '@vueuse/core'
import { ref } from 'vue'

function ticking(ms: number) {
  return () => {
    const now = ref(Date.now())
    useIntervalFn(() => (now.value = Date.now()), ms)
    return now
  }
}

/** The time, for "3 min. ago": one timer for all components. */
export const useNow = createSharedComposable(ticking(15_000))
/** The time to the second, for progress that a user watches. */
export const useSeconds = createSharedComposable(ticking(1_000))
