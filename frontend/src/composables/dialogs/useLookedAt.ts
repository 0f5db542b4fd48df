import type { LookedAt } from '@slipway/protocol'
import { useDocumentVisibility, useIntervalFn, useWindowFocus } from '@vueuse/core'
import { isInSight, isTerminalInSight } from '@/lib/dialogs/inSight.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'

/** How often the page looks, in milliseconds: more often than the server sends what nobody looks at. */
const EVERY_MS = 1_000
/** Most questions and terminals that it names. More do not fit into a window. */
const IDS_MAX = 100

/**
 * Tells the server which questions and waiting terminals its user has in sight, so that they get no push and no mail of them. `send` answers
 * false if the server did not get it. Call `forget` when the server knows nothing of this page any more.
 */
export function useLookedAt(send: (message: LookedAt) => boolean): { forget: () => void } {
  const dialogs = useDialogsStore()
  const agents = useAgentsStore()
  const focused = useWindowFocus()
  const visibility = useDocumentVisibility()
  let said = ''

  function look(): void {
    const isHere = focused.value && visibility.value === 'visible'
    const questions = dialogs.needed.filter(({ id }) => isInSight(id)).map(({ id }) => id)
    const terminals = agents.needing.filter(({ agent, tab }) => isTerminalInSight(agent.name, tab))
    const seen = [...terminals.map(({ sessionId }) => sessionId), ...questions]
    const ids = isHere ? seen.slice(0, IDS_MAX) : []
    const next = ids.join(' ')
    if (next !== said && send({ type: 'dialogs:looked-at', ids })) said = next
  }

  useIntervalFn(look, EVERY_MS)
  return { forget: () => void (said = '') }
}
