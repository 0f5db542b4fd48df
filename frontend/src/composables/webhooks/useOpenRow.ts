import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/** The page's address holds the open webhook, so that users can bookmark and send it. */
export function useOpenRow() {
  const route = useRoute()
  const router = useRouter()
  const opened = computed(() => route.query['webhook'])
  const open = (id: string, isOpen: boolean): void => void router.replace({ query: isOpen ? { webhook: id } : {} })
  return { opened, open }
}
