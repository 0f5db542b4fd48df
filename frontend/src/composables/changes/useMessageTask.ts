import type { Agent, CodingSession } from '@slipway/protocol'
import { useIntervalFn } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import { readMessagePrompt } from '@/api/git/git.ts'
import { endTask, readTask, startTask } from '@/api/tasks/tasks.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { putNewest } from '@/lib/newest.ts'
import { randomId } from '@/lib/browser/randomId.ts'
import { messageIn } from '@/lib/changes/message.ts'
import { isActive, reasonOf } from '@/lib/tasks/taskState.ts'
import { keyOf } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'

/** How long the CLI may take for a message, in seconds. */
const TIMEOUT_SECONDS = 180
/** How often the page asks for the task, in milliseconds. Events tell of its end sooner. */
const LOOK_MS = 3_000

/** Most repositories whose task is known while their page is closed. The oldest one is forgotten. */
const WORKING_MAX = 20
/** The tasks at work, by user, agent and repository: their answers are for the form that is open when they end. */
const working = new Map<string, CodingSession>()

/**
 * Has the agent's CLI write the message of a commit, as a task that cannot change anything without its user. It works in
 * the home, so that it loads nothing of the repository. `written` gets the message.
 */
export function useMessageTask(agent: () => Agent, repository: () => string, written: (message: string) => void) {
  const providers = useProvidersStore()
  const tasks = useTasksStore()
  void providers.load()
  const place = `${useAuthStore().user?.id ?? ''} ${keyOf(agent())} ${repository()}`
  const task = shallowRef(working.get(place) ?? null)
  const isStarting = ref(false)
  const error = ref<string | null>(null)
  /** Whether the CLI saw only a part of the changes. */
  const truncated = ref(false)

  /** How its tasks keep from changing anything; null: they do not. */
  const policy = computed(() => {
    const { runtime } = agent()
    if (providers.canPlan(runtime)) return 'plan' as const
    return providers.canAskPeople(runtime) ? ('ask' as const) : null
  })
  const isBusy = computed(() => isStarting.value || (task.value !== null && isActive(task.value.state)))

  /** Counts the requests: what was cancelled is not shown. */
  let asked = 0
  async function start(amends: boolean): Promise<void> {
    if (isBusy.value || policy.value === null) return
    const number = (asked += 1)
    isStarting.value = true
    error.value = null
    task.value = null
    try {
      const asking = await readMessagePrompt(keyOf(agent()), { repository: repository(), amends })
      if (number !== asked) return
      truncated.value = asking.truncated
      const begun = await startTask(
        {
          ...{ agent: agent().name, prompt: asking.prompt, policy: policy.value, timeout_seconds: TIMEOUT_SECONDS },
          ...{ worktree: 'off', validate: false, wait_for_limit: false },
        },
        randomId(),
      )
      tasks.put(begun)
      if (number === asked) show(begun)
      else void endTask(begun.id).catch(() => undefined)
    } catch (cause) {
      if (number === asked) error.value = messageOf(cause)
    } finally {
      if (number === asked) isStarting.value = false
    }
  }

  function show(now: CodingSession): void {
    const wasActive = task.value === null || isActive(task.value.state)
    task.value = now
    if (isActive(now.state)) putNewest(working, place, now, WORKING_MAX)
    else working.delete(place)
    if (isActive(now.state) || !wasActive) return
    const message = now.state === 'completed' ? messageIn(now.result ?? '') : ''
    if (message !== '') written(message)
    else error.value = now.state === 'completed' ? 'It answered nothing.' : (reasonOf(now) ?? 'It wrote no message.')
  }

  let isLeft = false
  onScopeDispose(() => (isLeft = true))
  async function look(): Promise<void> {
    const number = asked
    const { id } = task.value ?? {}
    if (id === undefined || !isBusy.value) return
    // The next look asks again.
    const now = await readTask(id).catch(() => null)
    if (now !== null && number === asked && !isLeft) show(now)
  }
  void look()
  useIntervalFn(() => void look(), LOOK_MS)
  onScopeDispose(tasks.listen((changed) => changed === task.value?.id && void look()))

  /** Ends the task. What it answers then is not used. */
  async function cancel(): Promise<void> {
    const { id } = task.value ?? {}
    asked += 1
    isStarting.value = false
    task.value = null
    working.delete(place)
    if (id !== undefined) await endTask(id).then(tasks.put, (cause: unknown) => (error.value = messageOf(cause)))
  }

  return { policy, task, isBusy, error, truncated, start, cancel }
}

export type MessageTask = ReturnType<typeof useMessageTask>
