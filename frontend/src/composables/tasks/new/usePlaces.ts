import { type Budget, type CodingSession, RUNS_PER_USER } from '@slipway/protocol'
import { computed, onMounted, ref } from 'vue'
import { readMyBudget } from '@/api/agents/codingAgents.ts'
import { listTasks } from '@/api/tasks/tasks.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'
import { usd } from '@/lib/format/money.ts'

/** Time between two looks at the user's tasks, in milliseconds: one of them may end meanwhile. */
const LOOK_EVERY_MS = 5_000

const isActive = ({ state }: CodingSession): boolean => state === 'starting' || state === 'running'

/** Whether the user may start a further task now, and if not, why. `mayWait`: whether the task could wait in line. */
export function usePlaces(mayWait: () => boolean) {
  const { data: tasks, refresh } = usePolling(listTasks, LOOK_EVERY_MS, () => true)
  const budget = ref<Budget | null>(null)
  // Without it, the server's answer says that the budget is used up.
  onMounted(async () => (budget.value = await readMyBudget().catch(() => null)))

  const active = computed(() => (tasks.value ?? []).filter(isActive))
  const isFull = computed(() => active.value.length >= RUNS_PER_USER)
  const overBudget = computed(() => {
    const { limitUsd = null, spentUsd = 0 } = budget.value ?? {}
    return limitUsd !== null && spentUsd >= limitUsd
      ? `Your budget of ${usd(limitUsd)} for this month is used up. Ask an admin to raise it.`
      : null
  })
  const full = computed(() => {
    if (!isFull.value) return null
    const active = `You have ${RUNS_PER_USER} active tasks, the maximum.`
    return mayWait()
      ? `${active} Wait for one to end, end one, or let this one wait in line.`
      : `${active} Wait for one to end, or end one.`
  })
  return { active, budget, full, overBudget, refresh }
}
