import { ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/**
 * The one-time token in the address's fragment, which no server or log has seen. The token leaves the address bar at
 * once, so that no history or screenshot has it. It also works if the user pastes a link into this open page.
 *
 * @param name of the token in the fragment
 */
export function useLinkToken(name = 'token'): Ref<string | null> {
  const route = useRoute()
  const router = useRouter()
  const token = ref<string | null>(null)

  watch(
    () => route.hash,
    async (hash) => {
      const found = new URLSearchParams(hash.slice(1)).get(name)
      if (found === null) return
      token.value = found
      await router.replace({ hash: '' })
    },
    { immediate: true },
  )
  return token
}
