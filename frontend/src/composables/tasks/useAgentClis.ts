import type { CliAccess, CodingAgentStatus } from '@slipway/protocol'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { listStatus } from '@/api/codingAgents.ts'
import { listCliAccess } from '@/api/credentials.ts'
import { messageOf } from '@/api/transport/errors.ts'

/** The coding CLIs of an agent that runs, and how they would be signed in. Null until they have loaded. */
export function useAgentClis(agent: () => string | null) {
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
      access.value = ways
    } catch (cause) {
      if (mine === asked) error.value = messageOf(cause)
    }
  }

  watch(
    agent,
    () => {
      items.value = null
      void load()
    },
    { immediate: true },
  )
  onScopeDispose(() => (asked += 1))
  return { items, access, error, load }
}
