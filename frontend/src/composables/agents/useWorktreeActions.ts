import { type Agent, restoreCommand, type TakeBackWorktree, type TakenBack, type Worktree } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { useRouter } from 'vue-router'
import { removeWorktree, takeBackWorktree } from '@/api/git/worktrees.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'
import { confirm } from '@/composables/useConfirm.ts'
import { copyText } from '@/composables/useCopy.ts'
import { branchName, worktreeName } from '@/lib/agents/worktrees.ts'
import { keyOf, pageOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'

/** What a user does with a worktree of an agent. */
export function useWorktreeActions(agent: () => Agent) {
  const agents = useAgentsStore()
  const auth = useAuthStore()
  const terminals = useTerminalsStore()
  const router = useRouter()
  const toast = useToast()
  const attempt = useAttempt()

  /** Opens a shell in it, beside the user's other terminals there. Those stay in their folders. */
  async function openTerminal({ path }: Worktree): Promise<void> {
    const key = keyOf(agent())
    const open = agents.sessionsOf(agent()).filter(({ userId }) => userId === auth.user?.id).length
    if (open > 0 && open < agent().terminalsPerUser) {
      terminals.requestedShell = { key, folder: path }
      await router.push(pageOf(key))
      return
    }
    if (open > 0) {
      const description = `You have a terminal in ${agent().name} already. Disconnect it first, or use cd there.`
      toast.add({
        ...{ title: 'Could not open the terminal', description, color: 'error', icon: 'i-lucide-circle-alert' },
        actions: [
          {
            ...{ label: 'Show the terminal', color: 'neutral', variant: 'outline' },
            onClick: () => void router.push(pageOf(key)),
          },
        ],
      })
      return
    }
    if (terminals.statusOf(key) === 'disconnected') terminals.close(key)
    await router.push({ path: pageOf(key), query: { mode: 'bash', folder: path } })
  }

  /** Says where everything is that was in it. Resolves with whether it was removed. */
  async function remove(worktree: Worktree): Promise<boolean> {
    const { conversationId } = worktree
    const sure = await confirm({
      title: `Remove ${worktreeName(worktree)}?`,
      body: `Its commits, changes and untracked files are saved to a reference of the repository first.${
        conversationId === null ? '' : ' The conversation that works in it cannot go on until you bring it back.'
      }`,
      action: 'Remove',
      danger: true,
    })
    if (!sure) return false
    return attempt('Could not remove the worktree', async () => {
      const removed = await removeWorktree(keyOf(agent()), worktree.id)
      const salvage = removed?.salvage ?? null
      if (salvage === null) {
        const below = `refs/slipway/salvage/${worktreeName(worktree)}`
        const description = removed === undefined ? `What was in it is below ${below} in its repository.` : undefined
        toast.add({ title: 'Worktree removed', color: 'success', icon: 'i-lucide-check', description })
        return
      }
      const command = restoreCommand(worktree, salvage)
      toast.add({
        ...{ title: 'Worktree removed', color: 'success', icon: 'i-lucide-check', duration: SALVAGE_SHOWN_MS },
        description: `What was in it is in ${salvage}. This brings it back: ${command}`,
        ui: { description: 'wrap-anywhere' },
        actions: [
          {
            ...{ label: 'Copy the command', color: 'neutral', variant: 'outline' },
            onClick: () => void copyText(command),
          },
        ],
      })
    })
  }

  /** Null: it was refused, and a toast says why. With conflicts nothing was changed. */
  async function takeBack(worktree: Worktree, body: TakeBackWorktree): Promise<TakenBack | null> {
    let answer: TakenBack | null = null
    await attempt('Could not take the commits back', async () => {
      answer = await takeBackWorktree(keyOf(agent()), worktree.id, body)
      if (answer.commit !== null)
        toast.add({
          ...{ title: `${branchName(answer.branch)} has the commits`, color: 'success', icon: 'i-lucide-git-merge' },
          description: `It is at ${answer.commit.slice(0, 12)}. The worktree is kept until you remove it.`,
        })
    })
    return answer
  }

  return { openTerminal, remove, takeBack }
}

/** How long the reference of a removed worktree is shown, in milliseconds: it is long, and must be noted. */
const SALVAGE_SHOWN_MS = 30_000
