import type { PlatformEvent } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { withHiddenInSight } from '@/lib/format/directions.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'

type NoticeEvent = Extract<PlatformEvent, { type: 'agent:notice' }>

/** Longest text of a toast, in UTF-16 code units. */
const TEXT_MAX = 300

const ICONS = {
  info: 'i-lucide-info',
  success: 'i-lucide-check',
  warning: 'i-lucide-triangle-alert',
  error: 'i-lucide-circle-alert',
} as const

/** Shows the notices of the user's own agents, as plain text. An agent has one toast, so a flood of notices is one, too. */
export function useAgentNotices(): (event: NoticeEvent) => void {
  const toast = useToast()
  const agents = useAgentsStore()
  return ({ agentId, notice: { type, message } }) => {
    const agent = agents.all.find(({ id }) => id === agentId)
    if (agent?.relation !== 'owner') return
    const text = withHiddenInSight(message)
    toast.add({
      id: `notice-${agentId}`,
      title: agent.name,
      description: text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`,
      color: type,
      icon: ICONS[type],
      duration: 8_000,
    })
  }
}
