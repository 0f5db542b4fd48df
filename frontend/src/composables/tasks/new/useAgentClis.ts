import type { CliAccess, CodingAgentStatus } from '@slipway/protocol'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { listStatus } from '@/api/agents/codingAgents.ts'
import { listCliAccess } from '@/api/agents/credentials.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** Most agents whose CLIs are remembered. */
const KNOWN_MAX = 20
/**
 * What each agent had when the page last asked. The server starts every CLI to learn its version, which takes seconds, so
 * the last answer is shown meanwhile.
 */
const known = new Map<string, readonly CodingAgentStatus[]>()

function remember(key: string, clis: readonly CodingAgentStatus[]): void {
  known.delete(key)
  known.set(key, clis)
  for (const oldest of [...known.keys()].slice(0, -KNOWN_MAX)) known.delete(oldest)
}

/** The coding CLIs of an agent that runs, and how they would be signed in. Null until they have loaded once. */
export function useAgentClis(agent: () => string | null) {
  const userId = useAuthStore().user?.id ?? ''
  const items = shallowRef<readonly CodingAgentStatus[] | null>(null)
  const access = shallowRef<readonly CliAccess[]>([])
  const error = ref<string | null>(null)
  /** Counts the requests: an answer about an earlier agent is late. */
  let asked = 0

  async function load(): Promise<void> {
    const mine = (asked += 1)
    const name = agent()
    error.value = null
    if (name === null) {
      items.value = null
      return
    }
    try {
      // Without the second answer, the form only says less about a missing key.
      const [clis, ways] = await Promise.all([listStatus(name), listCliAccess(name).catch(() => [])])
      if (mine !== asked) return
      items.value = clis
      remember(`${userId}:${name}`, clis)
      access.value = ways
    } catch (cause) {
      if (mine === asked) error.value = messageOf(cause)
    }
  }

  watch(
    agent,
    (name) => {
      items.value = known.get(`${userId}:${name ?? ''}`) ?? null
      void load()
    },
    { immediate: true },
  )
  onScopeDispose(() => (asked += 1))
  return { items, access, error, load }
}
