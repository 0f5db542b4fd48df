import type { CodingSession, Conversation } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { ref } from 'vue'
import { useRouter } from 'vue-router'
import { offerTerminal } from '@/api/tasks/tasks.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { titleOf } from '@/lib/tasks/list/items.ts'
import { keyOf, pageOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'
import { useOpenTerminal } from '../useOpenTask.ts'

/** Leads the user to a terminal that continues a task's session of the CLI, or says why there is none. */
export function useContinueInTerminal() {
  const agents = useAgentsStore()
  const auth = useAuthStore()
  const tasks = useTasksStore()
  const terminals = useTerminalsStore()
  const router = useRouter()
  const toast = useToast()
  const openTerminal = useOpenTerminal()
  const isOpening = ref(false)

  function refuse(description: string, label: string, page: string): void {
    toast.add({
      title: 'Could not open the terminal',
      description,
      color: 'error',
      icon: 'i-lucide-circle-alert',
      actions: [{ label, color: 'neutral', variant: 'outline', onClick: () => void router.push(page) }],
    })
  }

  async function open({ id, cliSessionId }: Pick<CodingSession, 'id' | 'cliSessionId'>): Promise<void> {
    isOpening.value = true
    try {
      const place = await offerTerminal(id)
      const agent = agents.own.find(({ name }) => name === place.agent)
      const mine = agent ? agents.sessionsOf(agent).filter(({ userId }) => userId === auth.user?.id) : []
      // Also one of another page of the browser, or of another device.
      const its = mine.find(({ sessionId }) => sessionId === place.sessionId)
      // It has just begun, so that no event has told of it yet.
      if (!its && place.sessionId !== null) return openTerminal(place.agent, place.page, null)
      if (its || !agent || mine.length === 0) return openTerminal(place.agent, place.page, its?.tab ?? '')
      if (mine.length >= agent.terminalsPerUser) {
        const text = `You have another terminal in ${place.agent}. Disconnect it first.`
        return refuse(text, 'Show the terminal', pageOf(place.agent))
      }
      // The terminal without a name is free: no page has it, and this page has not shown it.
      const isFirstFree = mine.every(({ tab }) => tab !== undefined)
      if (isFirstFree && terminals.statusOf(keyOf(agent)) === 'disconnected')
        return openTerminal(place.agent, place.page, '')
      terminals.requestedTask = { key: keyOf(agent), task: id }
      await router.push(pageOf(keyOf(agent)))
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

  /** Leads the user to the terminal that continues their conversation, or to the agent of another user's. */
  async function show({ agent, userId, resumeRunId, cliSessionId }: Conversation): Promise<void> {
    if (resumeRunId !== null && userId === auth.user?.id) return open({ id: resumeRunId, cliSessionId })
    if (agent !== null) await router.push(pageOf(agent))
  }

  return { isOpening, open, show }
}
