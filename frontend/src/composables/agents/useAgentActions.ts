import type { Agent } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import type { AgentAction } from '@/api/agents.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { keyOf, useAgentsStore } from '@/stores/agents.ts'
import { useTerminalsStore } from '@/stores/terminals.ts'
import { confirm } from '../useConfirm.ts'

const WORDS: Record<AgentAction, { verb: string; done: string }> = {
  start: { verb: 'Start', done: 'started' },
  stop: { verb: 'Stop', done: 'stopped' },
  restart: { verb: 'Restart', done: 'restarted' },
  recreate: { verb: 'Recreate', done: 'recreated' },
}

/** What can be done to an agent, with the question before it where something would be lost. */
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
      failed(`${agent.name} could not be ${WORDS[action].done}`, error)
    }
  }

  /** Asks where people are in terminals: these end with the container. */
  function mayInterrupt(agent: Agent, action: AgentAction): Promise<boolean> {
    const open = agents.sessionsOf(agent)
    const recreate = action === 'recreate'
    // What this page holds open it knows by itself, also before the server has told.
    const mine = open.length === 0 && terminals.statusOf(keyOf(agent)) === 'connected'
    if (open.length === 0 && !mine && !recreate) return Promise.resolve(true)
    const who = open.map((session) => `${session.email} (${session.mode})`).join(', ')
    const sentences = [
      mine && 'Your terminal is open. It ends.',
      open.length === 1 && `A terminal is open: ${who}. It ends.`,
      open.length > 1 && `${open.length} terminals are open: ${who}. They end.`,
      recreate && 'Its container is made anew from the image; its home is kept.',
    ]
    return confirm({
      title: `${WORDS[action].verb} ${agent.name}?`,
      body: sentences.filter(Boolean).join(' '),
      action: WORDS[action].verb,
      danger: open.length > 0 || mine,
    })
  }

  /** Deletes after the name was typed; resolves with whether it went through. */
  async function remove(agent: Agent): Promise<boolean> {
    const sure = await confirm({
      title: `Delete ${agent.name}?`,
      body: 'Its container and its home are deleted with all files in them. This cannot be taken back.',
      action: 'Delete agent',
      danger: true,
      typed: agent.name,
    })
    if (!sure) return false
    try {
      await agents.remove(keyOf(agent))
      return true
    } catch (error) {
      failed(`${agent.name} could not be deleted`, error)
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
