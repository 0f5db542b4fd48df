import { useIntersectionObserver } from '@vueuse/core'
import { computed, type Ref, ref, watch } from 'vue'

/**
 * How many rows of a long list a page draws: the first ones, and more when the end of those comes into view. `list` is what
 * changes when the list begins anew, and `end` an element after the rows.
 */
export function useFirstRows(rowsAtOnce: number, list: () => unknown, end: Readonly<Ref<HTMLElement | null>>) {
  const most = ref(rowsAtOnce)
  watch(list, () => (most.value = rowsAtOnce))
  const more = (): void => void (most.value += rowsAtOnce)
  useIntersectionObserver(end, ([entry]) => entry?.isIntersecting === true && more())
  return {
    most: computed(() => most.value),
    more,
    /** The first rows of the groups of a list, without the groups of which none is drawn. */
    first<G extends { readonly agents: readonly unknown[] }>(groups: readonly G[]): G[] {
      let left = most.value
      return groups
        .map((group) => {
          const agents = group.agents.slice(0, left)
          left -= agents.length
          return { ...group, agents }
        })
        .filter(({ agents }) => agents.length > 0)
    },
  }
}
