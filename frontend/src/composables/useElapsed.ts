import { computed, ref, watch, type Ref } from 'vue'
import { duration } from '@/lib/format/time.ts'
import { useSeconds } from './useNow.ts'

/** How long something has been going on, as text; null in the first second, in which nobody wants to know. */
export function useElapsed(
  going: () => boolean,
  since: () => string | null = () => null,
): Readonly<Ref<string | null>> {
  const now = useSeconds()
  const startedAt = ref<number | null>(null)
  watch(
    [going, since],
    ([isGoing, from]) => {
      startedAt.value = isGoing ? (from === null ? Date.now() : Date.parse(from)) : null
    },
    { immediate: true },
  )
  return computed(() => {
    if (startedAt.value === null) return null
    const ms = now.value - startedAt.value
    return ms < 1_000 ? null : duration(ms)
  })
}
