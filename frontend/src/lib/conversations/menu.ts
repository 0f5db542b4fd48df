import { CUSTOM_PREFIX, type Conversation } from '@slipway/protocol'

/** What a user can do with a conversation as a whole. */
export type ConversationAct = 'link' | 'rename' | 'show_terminal' | 'terminal' | 'fork' | 'archive' | 'restore'

/** One of them, and why it cannot be done now, or null. */
export interface OfferedAct {
  readonly act: ConversationAct
  readonly isDisabled: boolean
  readonly obstacle: string | null
}

const offered = (act: ConversationAct, obstacle: string | null = null): OfferedAct => ({
  ...{ act, obstacle },
  isDisabled: obstacle !== null,
})

const AFTER_TURN = 'When the turn has ended'

const terminalOf = ({ lastRunId, resumeRunId, provider, activity }: Conversation, isBusy: boolean): OfferedAct[] => {
  // A custom provider has no terminal.
  if (lastRunId === null || provider.startsWith(CUSTOM_PREFIX)) return []
  if (activity === 'terminal') return [offered('show_terminal')]
  // The last turn may have ended before it had a session.
  return [{ ...offered('terminal', isBusy ? AFTER_TURN : null), isDisabled: isBusy || resumeRunId === null }]
}

const forkOf = ({ canFork, turns, displayName }: Conversation, isBusy: boolean): OfferedAct => {
  if (canFork) return offered('fork')
  return offered('fork', turns === 0 || isBusy ? AFTER_TURN : `${displayName} cannot fork a session`)
}

/**
 * What the menu of a conversation has. All who may use its agent copy its link, fork it, and continue it in a terminal of
 * their own. `mayManage`: its user, the owner of the agent and admins.
 */
export function actsOf(conversation: Conversation, mayManage: boolean): OfferedAct[] {
  const { agent, state, activity, queued } = conversation
  const isBusy = activity !== 'idle' && activity !== 'terminal'
  const archive =
    state === 'archived'
      ? offered('restore')
      : offered('archive', isBusy || queued > 0 ? 'When nothing runs and nothing is queued' : null)
  return [
    offered('link'),
    ...(mayManage ? [offered('rename')] : []),
    ...(agent === null ? [] : [...terminalOf(conversation, isBusy), forkOf(conversation, isBusy)]),
    ...(mayManage ? [archive] : []),
  ]
}
