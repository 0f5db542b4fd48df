import type { Agent } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import type { AgentAction } from '@/api/agents/agents.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { keyOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { confirm } from '../useConfirm.ts'

const WORDS: Record<AgentAction, string> = {
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  recreate: 'Recreate',
}

/** The actions on an agent. Each asks first if it would end or delete something. */
export function useAgentActions() {
  const agents = useAgentsStore()
  const terminals = useTerminalsStore()
  const toast = useToast()

  function failed(title: string, error: unknown): void {
    toast.add({ title, description: messageOf(error), color: 'error', icon: 'i-lucide-circle-alert' })
  }

  async function act(agent: Agent, action: AgentAction): Promise<void> {
    if (action !== 'start' && !(await mayInterrupt(agent, action))) return
    try {
      await agents.act(keyOf(agent), action)
    } catch (error) {
      failed(`Could not ${WORDS[action].toLowerCase()} ${agent.name}`, error)
    }
  }

  /** Asks if users have terminals open, because these end with the container. */
  function mayInterrupt(agent: Agent, action: AgentAction): Promise<boolean> {
    const open = agents.sessionsOf(agent)
    const recreate = action === 'recreate'
    // This page knows its own terminal before the server has reported it.
    const mine = open.length === 0 && terminals.statusOf(keyOf(agent)) === 'connected'
    if (open.length === 0 && !mine && !recreate) return Promise.resolve(true)
    const who = open.map((session) => `${session.email} (${session.mode})`).join(', ')
    const sentences = [
      mine && 'This ends your open terminal.',
      open.length === 1 && `This ends an open terminal: ${who}.`,
      open.length > 1 && `This ends ${open.length} open terminals: ${who}.`,
      recreate && 'This creates a new container from the image and keeps the home folder.',
    ]
    return confirm({
      title: `${WORDS[action]} ${agent.name}?`,
      body: sentences.filter(Boolean).join(' '),
      action: WORDS[action],
      danger: open.length > 0 || mine,
    })
  }

  /** Deletes an agent after the user has typed its name. Resolves with whether it was deleted. */
  async function remove(agent: Agent): Promise<boolean> {
    const sure = await confirm({
      title: `Delete ${agent.name}?`,
      body: 'This deletes its container and home folder with all files. You cannot undo this.',
      action: 'Delete agent',
      danger: true,
      typed: agent.name,
    })
    if (!sure) return false
    try {
      await agents.remove(keyOf(agent))
      return true
    } catch (error) {
      failed(`Could not delete ${agent.name}`, error)
      return false
    }
  }

  return {
    start: (agent: Agent) => act(agent, 'start'),
    stop: (agent: Agent) => act(agent, 'stop'),
    restart: (agent: Agent) => act(agent, 'restart'),
    recreate: (agent: Agent) => act(agent, 'recreate'),
    remove,
  }
}
