import { computed, ref, watch } from 'vue'
import { lastAgent } from '@/lib/tasks/new/kept.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** The agent of a form: at first the named one, or the one that the user most probably means. */
export function useChosenAgent(named: string | undefined) {
  const agents = useAgentsStore()
  const userId = useAuthStore().user?.id ?? ''

  function firstAgent(): string {
    const known = named ?? lastAgent(userId)
    if (known !== null && agents.find(known) !== null) return known
    const mine = agents.own.filter(({ relation }) => relation === 'owner')
    return [...mine, ...agents.own].find(({ state }) => state === 'running')?.name ?? agents.own[0]?.name ?? ''
  }
  const name = ref(firstAgent())
  // The form may open before the agents have loaded.
  watch(
    () => agents.own.length,
    () => name.value === '' && (name.value = firstAgent()),
  )
  const current = computed(() => agents.find(name.value))
  const isRunning = computed(() => current.value?.state === 'running')
  return { name, current, isRunning }
}
