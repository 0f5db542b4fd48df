import { computed, ref, watch, type Ref } from 'vue'
import type { LogBlock } from '@/lib/logs/logBuffer.ts'
import { matchesIn } from '@/lib/logs/logText.ts'

/** One place where what is searched for stands. */
export interface Match {
  line: number
  /** Which of the line's matches. */
  index: number
}

/** Places that are walked through; more are counted as "more than". */
const MATCHES_MAX = 10_000

/** The search in a log: where the text stands, and which place is looked at. */
export function useLogSearch(blocks: Ref<readonly LogBlock[]>) {
  const text = ref('')
  const current = ref<Match | null>(null)
  const matches = computed<Match[]>(() => {
    const found: Match[] = []
    if (text.value === '') return found
    for (const line of blocks.value.flatMap((block) => block.lines)) {
      if (found.length >= MATCHES_MAX) break
      matchesIn(line.plain, text.value).forEach((_, index) => found.push({ line: line.number, index }))
    }
    return found
  })
  const position = computed(() =>
    matches.value.findIndex(({ line, index }) => line === current.value?.line && index === current.value.index),
  )
  const counted = computed(() => {
    if (text.value === '') return ''
    if (matches.value.length === 0) return 'No matches'
    const all = matches.value.length >= MATCHES_MAX ? `${MATCHES_MAX}+` : String(matches.value.length)
    return position.value === -1 ? all : `${position.value + 1} of ${all}`
  })

  /** From the place that is looked at to the one before or after it, round and round; from none to the newest. */
  function go(step: 1 | -1): void {
    const { length } = matches.value
    if (length === 0) return
    const next = position.value === -1 ? length - 1 : (position.value + step + length) % length
    current.value = matches.value[next] ?? null
  }

  // The newest is what one looks for as a rule.
  watch(text, () => (current.value = matches.value.at(-1) ?? null))

  return { text, matches, current, counted, go }
}
