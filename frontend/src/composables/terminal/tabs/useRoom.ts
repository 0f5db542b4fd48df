import { TERMINALS_PER_USER_MAX, type Agent } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { computed } from 'vue'
import { updateAgent } from '@/api/agents/agents.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { confirm } from '@/composables/useConfirm.ts'
import type { Beside } from '@/composables/terminal/session/useEndQuestions.ts'
import { keyOf, useAgentsStore } from '@/stores/agents/agents.ts'

/** Whether the user may open another terminal in an agent. */
export interface Room extends Beside {
  /** Whether they may do so without a change of the agent's setting. */
  readonly isFree: boolean
}

/** How many terminals the agent allows the user, and who may allow more. `count` is how many they have. */
export function useRoom(agent: () => Agent, count: () => number) {
  const agents = useAgentsStore()
  const toast = useToast()

  const room = computed((): Room => {
    const { terminalsPerUser: most, relation, owner } = agent()
    const isFree = count() < most
    const allowed = `This agent allows each person ${most === 1 ? 'one terminal' : `${most} terminals`}`
    if (most >= TERMINALS_PER_USER_MAX) return { isFree, mayRaise: false, note: `${allowed}, the most there may be.` }
    if (relation !== 'sharee') {
      const note = `${allowed}. If you open it beside this one, the agent allows ${most + 1} from now on.`
      return { isFree, mayRaise: true, note }
    }
    const who = owner === null ? 'An admin' : `${owner.email} or an admin`
    return { isFree, mayRaise: false, note: `${allowed}. ${who} can allow more in its settings.` }
  })

  /** Allows one more. Resolves with whether that succeeded; a toast says why it did not. */
  async function raise(): Promise<boolean> {
    const key = keyOf(agent())
    try {
      agents.put(await updateAgent(key, { terminalsPerUser: agent().terminalsPerUser + 1 }))
      return true
    } catch (error) {
      toast.add({ title: 'Could not allow another terminal', description: messageOf(error), color: 'error' })
      return false
    }
  }

  /** For a new terminal without another one that it would replace. */
  async function mayOpen(): Promise<boolean> {
    const { isFree, mayRaise } = room.value
    if (isFree) return true
    const { terminalsPerUser: most, owner } = agent()
    const title = `This agent allows each person ${most === 1 ? 'one terminal' : `${most} terminals`}`
    if (mayRaise) {
      const body = `Everyone with access to ${agent().name} may then have ${most + 1} at the same time.`
      return (await confirm({ title, body, action: `Allow ${most + 1}` })) && raise()
    }
    const who = owner === null ? 'An admin' : `${owner.email} or an admin`
    const isMost = most >= TERMINALS_PER_USER_MAX
    toast.add({ title, description: isMost ? 'That is the most.' : `${who} can allow more in its settings.` })
    return false
  }

  return { room, raise, mayOpen }
}
