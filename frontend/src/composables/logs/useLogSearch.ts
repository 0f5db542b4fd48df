import { computed, ref, watch, type Ref } from 'vue'
import type { LogBlock } from '@/lib/logs/logBuffer.ts'
import { matchesIn } from '@/lib/logs/logText.ts'

/** One match of the search. */
export interface Match {
  line: number
  /** Index among the matches of its line. */
  index: number
}

/** Most matches to step through. Beyond that the count says "more than". */
const MATCHES_MAX = 10_000

/** The search in a log: its matches and the current one. */
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

  /** Goes to the previous or next match and wraps around. Without a current match it goes to the newest. */
  function go(step: 1 | -1): void {
    const { length } = matches.value
    if (length === 0) return
    const next = position.value === -1 ? length - 1 : (position.value + step + length) % length
    current.value = matches.value[next] ?? null
  }

  // Users usually look for the newest match.
  watch(text, () => (current.value = matches.value.at(-1) ?? null))

  return { text, matches, current, counted, go }
}
