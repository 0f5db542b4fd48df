import { type Conversation, type MessageState, type RunState, WORKTREE_WAS_REMOVED } from '@slipway/protocol'

type Shown = Pick<Conversation, 'state' | 'activity' | 'waitsFor'>

const WORDS = { idle: 'Ready', starting: 'Starting', running: 'At work', terminal: 'In a terminal' } as const

/** The state of a conversation in a few words. `isMine`: whether it is the reader's own. */
export function conversationWord({ state, activity, waitsFor }: Shown, isMine = true): string {
  if (state === 'archived') return 'Archived'
  if (activity === 'waiting') {
    if (waitsFor === 'usage_limit') return 'Waiting for the usage limit'
    return isMine ? 'Waiting for you' : 'Waiting for an answer'
  }
  return activity === 'idle' && state === 'errored' ? 'Last turn failed' : WORDS[activity]
}

/** The state as that of a task, whose shape stands for it. A terminal and the archive have icons of their own. */
export function shapeOfConversation({ state, activity }: Shown): RunState {
  if (activity === 'starting' || activity === 'waiting') return activity
  if (activity === 'running' || activity === 'terminal') return 'running'
  return state === 'errored' ? 'failed' : 'completed'
}

/** Whether a turn has not ended, so that a message would wait. */
export const hasTurn = ({ activity }: Pick<Conversation, 'activity'>): boolean =>
  activity === 'starting' || activity === 'running' || activity === 'waiting'

/** Why this user cannot give a message to the turn that runs. Null: they can. */
export function steerObstacle(
  { activity, canSteer, currentRunUserId }: Pick<Conversation, 'activity' | 'canSteer' | 'currentRunUserId'>,
  userId: string,
): string | null {
  if (canSteer) return null
  if (currentRunUserId !== null && currentRunUserId !== userId)
    return 'The turn belongs to another user, and only that user can steer it. Queue the message instead.'
  if (activity === 'starting') return 'The turn has not begun yet, so it cannot be steered.'
  if (activity === 'waiting') return 'The turn waits, so it cannot be steered.'
  return 'This turn cannot be steered. A CLI takes messages only where it may ask people, and not every CLI does.'
}

/** Why the conversation takes no message. Null: it takes them. */
export function sendObstacle({ agent, state }: Pick<Conversation, 'agent' | 'state'>): string | null {
  if (agent === null) return 'Its agent was deleted, so this conversation cannot go on.'
  return state === 'archived' ? 'Archived conversations take no messages.' : null
}

/** What went wrong in the last turn, and how the conversation goes on. */
export function errorNotice(error: string): string {
  if (error.startsWith(WORKTREE_WAS_REMOVED)) return `${error} Once it is back, write a message to go on.`
  return `${error} Write a message to go on.`
}

/** Which turn has the CLI's session now, so that nothing else may write to it. Null: none has. */
export const holderOf = ({ activity, turns }: Pick<Conversation, 'activity' | 'turns'>): string | null =>
  hasTurn({ activity }) ? `Turn ${Math.max(turns, 1)} is running` : null

/** When the messages that wait are sent, as a sentence. */
export function queueWaitsFor({ activity, queued }: Pick<Conversation, 'activity' | 'queued'>): string {
  const sent = queued === 1 ? 'It is sent' : 'They are sent one after the other'
  if (activity === 'terminal') return `${sent} when the terminal has ended.`
  return hasTurn({ activity }) ? `${sent} when the turn has ended.` : `${sent} soon.`
}

/** What the user reads when a message left the queue while they were changing it. `state`: what is known of it now. */
export const overtakenNotice = (state: MessageState | null): { title: string; description: string } => ({
  title: state === 'sent' ? 'The message has already begun its turn' : 'The message no longer waits',
  description: 'Your changes are not in it. Your text is now in the field of the next message.',
})
