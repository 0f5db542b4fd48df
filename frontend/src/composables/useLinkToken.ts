import { ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/**
 * The one-time token in the address's fragment, which no server or log has seen. It is taken out of the address bar at
 * once, so that it stays in no history and on no screenshot. A link pasted over this very page counts, too.
 */
export function useLinkToken(): Readonly<Ref<string | null>> {
  const route = useRoute()
  const router = useRouter()
  const token = ref<string | null>(null)

  watch(
    () => route.hash,
    async (hash) => {
      const found = new URLSearchParams(hash.slice(1)).get('token')
      if (found === null) return
      token.value = found
      await router.replace({ hash: '' })
    },
    { immediate: true },
  )
  return token
}
