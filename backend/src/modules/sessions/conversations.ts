/** Conversations of CLIs that go on in another session. */
import type { Caller } from '../identity/caller.ts'
import type { Claim } from './claim.ts'

/** The CLI of a conversation, and how it goes on. */
export interface Conversation {
  readonly agentId: string
  /** The CLI's own session. */
  readonly cliSessionId: string
  /** The mode of its terminal. */
  readonly mode: string
  readonly model: string | null
  /** The folder in which it began, an absolute path. */
  readonly folder: string
}

/** Which conversation of a CLI it is. */
export type ConversationKey = Pick<Conversation, 'agentId' | 'cliSessionId'>

export interface Conversations {
  /** The conversation of a task in this agent. Throws an {@link AppError} if the caller may not continue it. */
  find(caller: Caller, task: string, agentId: string): Promise<Conversation>
  /**
   * Calls `open`, which records the terminal. No other terminal and no task continues the conversation meanwhile. Throws
   * `SESSION_IN_USE` if one does already.
   */
  take<T>(conversation: Conversation, claim: Pick<Claim, 'caller'>, open: () => Promise<T>): Promise<T>
  /** Call it when no process is left of a terminal with a conversation, and its end is stored. */
  freed(conversation: ConversationKey): void
}
