/** Conversations and their messages, as they are stored. */
import type { MessageState, TurnOptions, ValidateOptions } from '@slipway/protocol'
import type { Proof } from '../identity/caller.ts'
import type { ProviderOfRun } from '../providers/task-provider.ts'
import type { RunRow } from '../runs/repository.ts'

/** A conversation to store. */
export interface NewConversation extends Omit<ProviderOfRun, 'outputFormat'> {
  readonly id: string
  readonly userId: string
  readonly agentId: string
  readonly agentName: string
  readonly title: string
  /** An absolute path. Once a turn has worked, the folder in which all work: perhaps in a worktree. */
  readonly cwd: string
  /** Whether a turn has worked in that folder, so that no further one gets another. */
  readonly placed: boolean
  readonly options: TurnOptions
  readonly createdAt: Date
  readonly lastActivityAt: Date
}

/** What is known of the run of a turn that is not settled. */
export type CurrentRun = Pick<RunRow, 'id' | 'userId' | 'state' | 'policy' | 'asksSince' | 'cliSessionId' | 'endedAt'>

/** A stored conversation. */
export interface ConversationRow extends Omit<NewConversation, 'agentId'> {
  readonly agentId: string | null
  readonly currentRunId: string | null
  readonly currentRun: CurrentRun | null
  readonly lastRunId: string | null
  readonly resumeRunId: string | null
  readonly cliSessionId: string | null
  /** Whether the next turn makes a session of its own from the one that it continues. */
  readonly forks: boolean
  readonly forgotten: boolean
  readonly terminalReadAt: Date | null
  readonly forkedFromId: string | null
  readonly error: string | null
  readonly archivedAt: Date | null
}

/** What is counted of a conversation. */
export interface Figures {
  readonly queued: number
  readonly turns: number
  readonly costUsd: number | null
  readonly costEstimated: boolean
  /** Whether one of its runs was given one of its user's own credentials. */
  readonly personal: boolean
  /** Whether a terminal continues its session of the CLI. */
  readonly isInTerminal: boolean
}

/** A message to store. */
export interface NewMessage {
  readonly id: string
  readonly userId: string
  /** How its user had authenticated. */
  readonly via: Proof['kind']
  readonly viaId: string
  readonly text: string
  /** Absent: what the conversation says counts. */
  readonly validate?: boolean | ValidateOptions
  readonly createdAt: Date
}

/** A stored message. */
export interface MessageRow extends Omit<NewMessage, 'validate'> {
  /** Null: what the conversation says counts. */
  readonly validate: boolean | ValidateOptions | null
  readonly conversationId: string
  readonly seq: number
  readonly state: MessageState
  readonly runId: string | null
  readonly error: string | null
  /** What the CLI answered it in a terminal. */
  readonly answer: string | null
}
