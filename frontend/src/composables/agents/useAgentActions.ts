import type { Agent } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import type { AgentAction } from '@/api/agents/agents.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { afterMs } from '@/lib/timing/schedule.ts'
import { keyOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { usePreparationsStore } from '@/stores/agents/preparations.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { confirm } from '../useConfirm.ts'

const WORDS: Record<AgentAction, string> = {
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  recreate: 'Recreate',
}

/** How long an action waits to learn what the agent begins with, in milliseconds. It goes on with what is known then. */
const LEARN_MS = 2_000

/** The agents whose action is not decided yet. A second click meanwhile does nothing. */
const undecided = new Set<string>()

/** A sentence about what ends; null if there is none of it. */
const endsOf = (count: number, one: string, many: string): string | null => {
  if (count === 0) return null
  return count === 1 ? `This ends ${one}.` : `This ends ${count} ${many}.`
}

/** The actions on an agent. Each asks first if it would end or delete something. */
export function useAgentActions() {
  const agents = useAgentsStore()
  const dialogs = useDialogsStore()
  const preparations = usePreparationsStore()
  const terminals = useTerminalsStore()
  const toast = useToast()

  function failed(title: string, error: unknown): void {
    toast.add({ title, description: messageOf(error), color: 'error', icon: 'i-lucide-circle-alert' })
  }

  async function act(agent: Agent, action: AgentAction): Promise<void> {
    if (action !== 'start' && !(await mayInterruptOnce(agent, action))) return
    try {
      await agents.act(keyOf(agent), action)
    } catch (error) {
      failed(`Could not ${WORDS[action].toLowerCase()} ${agent.name}`, error)
    }
  }

  /** What ends with the container, a sentence each. */
  function endsWith(agent: Agent): string[] {
    const open = agents.sessionsOf(agent)
    // This page knows its own terminal before the server has reported it.
    const mine = open.length === 0 && terminals.statusOf(keyOf(agent)) === 'connected'
    const who = open.map((session) => `${session.email} (${session.mode})`).join(', ')
    const asking = dialogs.open.flatMap(({ agent: name, sessionId }) => (name === agent.name ? (sessionId ?? []) : []))
    const preparing = preparations.of(agent.id)?.state
    return [
      mine ? 'This ends your open terminal.' : null,
      endsOf(open.length, `an open terminal: ${who}`, `open terminals: ${who}`),
      endsOf(agent.tasksAtWork, 'a task at work', 'tasks at work'),
      endsOf(new Set(asking).size, 'a task that waits for an answer', 'tasks that wait for an answer'),
      preparing === 'cloning' ? 'This ends the clone of its repository.' : null,
      preparing === 'setting_up' ? 'This ends its set-up.' : null,
    ].filter((sentence) => sentence !== null)
  }

  /** Events tell a preparation only when it changes, so the page may not know of it yet. */
  async function learn(agent: Agent): Promise<void> {
    if (agent.isSystem) return
    let stop = (): void => undefined
    const late = new Promise<void>((resolve) => (stop = afterMs(resolve, LEARN_MS)))
    await Promise.race([preparations.load(agent.id, keyOf(agent)), late])
    stop()
  }

  /** No for a second click, until the first one is answered. */
  async function mayInterruptOnce(agent: Agent, action: AgentAction): Promise<boolean> {
    if (undecided.has(agent.id)) return false
    undecided.add(agent.id)
    try {
      await learn(agent)
      return await mayInterrupt(agent, action)
    } finally {
      undecided.delete(agent.id)
    }
  }

  /** Asks if something ends with the container. */
  function mayInterrupt(agent: Agent, action: AgentAction): Promise<boolean> {
    const ends = endsWith(agent)
    const recreate = action === 'recreate'
    if (ends.length === 0 && !recreate) return Promise.resolve(true)
    const keeps = 'This creates a new container from the image and keeps the home folder.'
    return confirm({
      title: `${WORDS[action]} ${agent.name}?`,
      body: [...ends, ...(recreate ? [keeps] : [])].join(' '),
      action: WORDS[action],
      danger: ends.length > 0,
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
