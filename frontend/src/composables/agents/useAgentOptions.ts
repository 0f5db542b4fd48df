import type { AgentOptions } from '@slipway/protocol'
import { onMounted, ref } from 'vue'
import { readAgentOptions } from '@/api/agents/agents.ts'
import { messageOf } from '@/api/transport/errors.ts'

/** Loads the choices for an agent's settings, for the forms. */
export function useAgentOptions() {
  const options = ref<AgentOptions | null>(null)
  const error = ref<string | null>(null)

  async function load(): Promise<void> {
    error.value = null
    try {
      options.value = await readAgentOptions()
    } catch (cause) {
      error.value = messageOf(cause)
    }
  }

  onMounted(load)
  return { options, error, load }
}
