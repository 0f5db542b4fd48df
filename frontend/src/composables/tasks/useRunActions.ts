import { CUSTOM_PREFIX, type CodingSession } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { computed, ref } from 'vue'
import { useRouter } from 'vue-router'
import { offerTerminal } from '@/api/tasks.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { titleOf } from '@/lib/tasks/items.ts'
import { draftOfTask } from '@/lib/tasks/new/draft.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { pageOf, useAgentsStore } from '@/stores/agents.ts'
import { useAuthStore } from '@/stores/auth.ts'
import { useShellStore } from '@/stores/shell.ts'
import { useTasksStore } from '@/stores/tasks.ts'
import { useOpenTerminal } from './useOpenTask.ts'

/** What a user can do with a task, besides stopping it. */
export function useRunActions(task: () => CodingSession) {
  const agents = useAgentsStore()
  const auth = useAuthStore()
  const shell = useShellStore()
  const tasks = useTasksStore()
  const router = useRouter()
  const toast = useToast()
  const openTerminal = useOpenTerminal()
  const isOpening = ref(false)

  const hasEnded = computed(() => !isActive(task().state))
  const agent = computed(() => agents.own.find(({ name }) => name === task().agent) ?? null)
  /** Whether the CLI can go on with its conversation. */
  const canContinue = computed(() => hasEnded.value && agent.value !== null && task().cliSessionId !== null)
  /** Whether it can do so in a terminal, or has one of the user's already. */
  const canOpen = computed(() =>
    hasEnded.value
      ? canContinue.value && !task().provider.startsWith(CUSTOM_PREFIX)
      : task().mode === 'interactive' && task().userId === auth.user?.id && agent.value !== null,
  )

  /** Opens the dialog of a new task, which continues this one. */
  function goOn(): void {
    const { id, agent: name, prompt, ...fields } = task()
    if (name === null) return
    shell.newTask = {
      agent: name,
      initial: { ...draftOfTask({ ...fields, prompt: '' }), resume: id, title: titleOf(prompt) },
    }
  }

  /** Opens the dialog of a new task with the same fields. */
  function again(): void {
    const { agent: name } = task()
    shell.newTask = { ...(name !== null && { agent: name }), initial: draftOfTask(task()) }
  }

  function refuse(description: string, label: string, page: string): void {
    toast.add({
      title: 'Could not open the terminal',
      description,
      color: 'error',
      icon: 'i-lucide-circle-alert',
      actions: [{ label, color: 'neutral', variant: 'outline', onClick: () => void router.push(page) }],
    })
  }

  async function terminal(): Promise<void> {
    const { id, cliSessionId } = task()
    isOpening.value = true
    try {
      const place = await offerTerminal(id)
      const other = agent.value && agents.sessionsOf(agent.value).find(({ userId }) => userId === auth.user?.id)
      if (other && other.sessionId !== place.sessionId) {
        const text = `You have another terminal in ${place.agent}. Disconnect it first.`
        return refuse(text, 'Show the terminal', pageOf(place.agent))
      }
      openTerminal(place.agent, place.page)
    } catch (error) {
      const isHeld = error instanceof ApiError && error.code === 'SESSION_IN_USE'
      // No event tells the session that a CLI has named meanwhile.
      if (isHeld) await tasks.load()
      const holder = tasks.active.find((one) => isHeld && one.id !== id && one.cliSessionId === cliSessionId)
      if (holder) {
        const text = `The task “${titleOf(holder.prompt)}” continues this conversation. Wait for its end, or stop it.`
        return refuse(text, 'Show the task', `/coding-agents/${holder.id}`)
      }
      toast.add({
        title: 'Could not open the terminal',
        description: messageOf(error),
        color: 'error',
        icon: 'i-lucide-circle-alert',
      })
    } finally {
      isOpening.value = false
    }
  }

  return { hasEnded, canContinue, canOpen, isOpening, goOn, again, terminal }
}
