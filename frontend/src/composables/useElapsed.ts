import { computed, ref, watch, type Ref } from 'vue'
import { duration } from '@/lib/format/time.ts'
import { useSeconds } from './useNow.ts'

/** The elapsed time as text. Null in the first second, when it does not matter yet. */
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
