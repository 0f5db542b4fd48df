import { CUSTOM_PREFIX, type CodingSession } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { computed } from 'vue'
import { useRouter } from 'vue-router'
import { messageOf } from '@/api/transport/errors.ts'
import { titleOf } from '@/lib/tasks/list/items.ts'
import { draftOfTask, type InitialTask } from '@/lib/tasks/new/draft.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useShellStore } from '@/stores/shell/shell.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'
import { useContinueInTerminal } from './useContinueInTerminal.ts'

/** What a user can do with a task, besides stopping it. */
export function useRunActions(task: () => CodingSession) {
  const agents = useAgentsStore()
  const auth = useAuthStore()
  const shell = useShellStore()
  const tasks = useTasksStore()
  const router = useRouter()
  const toast = useToast()
  const { isOpening, open } = useContinueInTerminal()

  const hasEnded = computed(() => !isActive(task().state))
  const agent = computed(() => agents.own.find(({ name }) => name === task().agent) ?? null)
  const canResume = computed(() => hasEnded.value && agent.value !== null && task().cliSessionId !== null)
  /** Whether a turn can follow. Its conversation takes a message whatever became of this turn. */
  const canContinue = computed(
    () => canResume.value || (hasEnded.value && agent.value !== null && task().conversationId !== null),
  )
  /** Whether it can do so in a terminal, or has one of the user's already. */
  const canOpen = computed(() =>
    hasEnded.value
      ? canResume.value && !task().provider.startsWith(CUSTOM_PREFIX)
      : task().mode === 'interactive' && task().userId === auth.user?.id && agent.value !== null,
  )

  /** Whether its project can be validated: the agent is one of the user's. */
  const canValidate = computed(() => hasEnded.value && agent.value !== null)

  /** Only the user who has started a task may move it. */
  const canArchive = computed(() => hasEnded.value && task().userId === auth.user?.id)

  /**
   * Leads to what continues the task, with comments on its changes as the text that the user may edit: the next message of
   * its conversation, or the dialog of a new task.
   */
  function goOn(comments?: Pick<InitialTask, 'prompt' | 'sends'>): void {
    const { id, agent: name, prompt, conversationId, ...fields } = task()
    if (name === null) return
    if (conversationId !== null) {
      const { prompt: text = '', sends: ids = [] } = comments ?? {}
      shell.nextMessage = { conversationId, text, comments: { taskId: id, ids } }
      return void router.push(`/conversations/${conversationId}`)
    }
    shell.newTask = {
      agent: name,
      initial: { ...draftOfTask({ ...fields, prompt: '' }), ...comments, resume: id, title: titleOf(prompt) },
    }
  }

  /** Opens the dialog of a new task with the same fields. */
  function again(): void {
    const { agent: name } = task()
    shell.newTask = { ...(name !== null && { agent: name }), initial: draftOfTask(task()) }
  }

  /** Moves the task into the archive, or out of it. The notice can take it back. */
  async function archive(isArchived: boolean): Promise<void> {
    const { id, prompt } = task()
    try {
      await tasks.archive(id, isArchived)
      const undo = { label: 'Undo', color: 'neutral', variant: 'outline', onClick: () => void archive(false) } as const
      toast.add({
        title: isArchived ? 'Archived' : 'Taken out of the archive',
        description: titleOf(prompt),
        icon: isArchived ? 'i-lucide-archive' : 'i-lucide-archive-restore',
        color: 'neutral',
        ...(isArchived && { actions: [undo] }),
      })
    } catch (error) {
      toast.add({
        title: isArchived ? 'Could not archive the task' : 'Could not take the task out of the archive',
        description: messageOf(error),
        color: 'error',
        icon: 'i-lucide-circle-alert',
      })
    }
  }

  const terminal = (): Promise<void> => open(task())
  return { hasEnded, canContinue, canOpen, canValidate, canArchive, isOpening, goOn, again, terminal, archive }
}
