import type { Conversation, ConversationMessage, Relation } from '@slipway/protocol'

/** Whether a user manages a conversation: its own user, the owner of the agent, and admins. A guest reads those of others. */
export const manages = (
  { userId }: Pick<Conversation, 'userId'>,
  user: string | undefined,
  relation: Relation | undefined,
): boolean => userId === user || relation === 'owner' || relation === 'admin'

/** What a user may do with a message that waits. */
export interface QueuedRights {
  /** Its turn has the rights of the user who wrote its text. */
  readonly mayEdit: boolean
  /** To another place, or out of the queue. */
  readonly mayMove: boolean
}

export const rightsOnQueued = (
  { userId }: Pick<ConversationMessage, 'userId'>,
  user: string | undefined,
  isManager: boolean,
): QueuedRights => ({ mayEdit: userId === user, mayMove: userId === user || isManager })
