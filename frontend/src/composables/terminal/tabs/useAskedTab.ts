import { watch } from 'vue'
import { useRoute, useRouter, type RouteLocationRaw } from 'vue-router'

/** The query of an agent's page that names the tab to show. */
const TAB_QUERY = 'tab'
/** The query that names the task whose conversation a terminal continues. */
const TASK_QUERY = 'task'

/** The page of an agent, with this tab in front; '': the terminal without a name. */
export const withTab = (path: string, tab: string): RouteLocationRaw => ({ path, query: { [TAB_QUERY]: tab } })

export interface UseAskedTabOptions {
  visible: () => boolean
  /** The tabs that there are now. A tab that was opened on another device comes with the news of its session. */
  names: () => readonly string[]
  activate: (name: string) => void
  /** Opens the terminal without a name again, whose tab the user has closed. */
  openFirst: () => void
}

/**
 * Shows the tab that the page's address asks for, as soon as there is one, and takes it out of the address. Answers whether
 * the address asks for one now.
 */
export function useAskedTab({ visible, names, activate, openFirst }: UseAskedTabOptions): () => boolean {
  const route = useRoute()
  const router = useRouter()
  const asked = (): string | null => {
    const name = visible() ? route.query[TAB_QUERY] : null
    if (typeof name !== 'string') return null
    // The conversation of a task begins in the terminal without a name, whose tab the user may have closed.
    const begins = name === '' && typeof route.query[TASK_QUERY] === 'string'
    return begins || names().includes(name) ? name : null
  }
  watch(
    asked,
    (name) => {
      if (name === null) return
      if (!names().includes(name)) openFirst()
      activate(name)
      const { [TAB_QUERY]: _shown, ...query } = route.query
      void router.replace({ path: route.path, hash: route.hash, query })
    },
    { immediate: true },
  )
  return () => route.query[TAB_QUERY] !== undefined
}
