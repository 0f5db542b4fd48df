import { watch } from 'vue'
import { useRoute, useRouter, type RouteLocationRaw } from 'vue-router'

/** The query of an agent's page that names the tab to show. */
const TAB_QUERY = 'tab'

/** The page of an agent, with this tab in front; '': the terminal without a name. */
export const withTab = (path: string, tab: string): RouteLocationRaw => ({ path, query: { [TAB_QUERY]: tab } })

export interface UseAskedTabOptions {
  visible: () => boolean
  /** The tabs that there are now. A tab that was opened on another device comes with the news of its session. */
  names: () => readonly string[]
  activate: (name: string) => void
}

/** Shows the tab that the page's address asks for, as soon as there is one, and takes it out of the address. */
export function useAskedTab({ visible, names, activate }: UseAskedTabOptions): void {
  const route = useRoute()
  const router = useRouter()
  const asked = (): string | null => {
    const name = visible() ? route.query[TAB_QUERY] : null
    return typeof name === 'string' && names().includes(name) ? name : null
  }
  watch(
    asked,
    (name) => {
      if (name === null) return
      activate(name)
      const { [TAB_QUERY]: _shown, ...query } = route.query
      void router.replace({ path: route.path, hash: route.hash, query })
    },
    { immediate: true },
  )
}
