/** Conversations as the API answers them. */
import {
  type Conversation,
  type ConversationActivity,
  type ConversationMessage,
  type ConversationState,
  type MessageVia,
  RUN_POLICIES,
} from '@slipway/protocol'
import { headlessOf } from '../providers/catalogue.ts'
import { labelOfRun } from '../providers/task-provider.ts'
import { asksPeople } from '../runs/people/policy.ts'
import { isAsking } from '../runs/view.ts'
import type { ConversationRow, Figures, MessageRow } from './rows.ts'

const stateOf = ({ archivedAt, error }: ConversationRow): ConversationState => {
  if (archivedAt !== null) return 'archived'
  return error === null ? 'active' : 'errored'
}

/** Its turn that has not ended, or null. */
export const unendedRun = ({ currentRun }: Pick<ConversationRow, 'currentRun'>) =>
  currentRun?.endedAt === null ? currentRun : null

const activityOf = (row: ConversationRow, { isInTerminal }: Figures): ConversationActivity => {
  const run = unendedRun(row)
  if (run && (isAsking(run) || run.state === 'waiting')) return 'waiting'
  // One that has ended is a moment before its end is noted.
  if (run?.state === 'running' || (row.currentRun && !run)) return 'running'
  if (isInTerminal) return 'terminal'
  return run ? 'starting' : 'idle'
}

/** Whether its CLI can begin a new session from the one that the next turn continues. */
export const canFork = ({ agentId, provider, resumeRunId }: ConversationRow): boolean =>
  agentId !== null && resumeRunId !== null && headlessOf(provider)?.forks === true

/** Whether the turn that runs takes messages of its user: its CLI does so while it may ask people. */
export const takesMessages = (row: ConversationRow): boolean => {
  const run = unendedRun(row)
  const takes = headlessOf(row.provider)?.people?.steers === true
  return run?.state === 'running' && asksPeople(run.policy) && takes
}

/** The name that users read for its CLI. */
export const labelOf = (row: ConversationRow): string => labelOfRun({ ...row, outputFormat: null })

/** As the user `viewerId` sees it; null: as a user sees it who has no part in its turn. */
export const toConversation = (row: ConversationRow, figures: Figures, viewerId: string | null): Conversation => {
  const run = unendedRun(row)
  return {
    id: row.id,
    title: row.title,
    agent: row.agentId === null ? null : row.agentName,
    provider: row.provider,
    displayName: labelOf(row),
    cwd: row.cwd,
    model: row.options.model ?? null,
    policy: RUN_POLICIES.find((one) => one === row.options.policy) ?? null,
    worktree: row.options.worktree ?? null,
    validate: (row.options.validate ?? 'gate' in row.options) !== false,
    gate: row.options.gate ?? null,
    state: stateOf(row),
    activity: activityOf(row, figures),
    waitsFor: run && isAsking(run) ? 'person' : run?.state === 'waiting' ? 'usage_limit' : null,
    currentRunId: run?.id ?? null,
    currentRunUserId: run?.userId ?? null,
    lastRunId: row.lastRunId,
    // A fork has no session of its own before its first turn.
    resumeRunId: row.forks ? null : row.resumeRunId,
    queued: figures.queued,
    turns: figures.turns,
    costUsd: figures.costUsd,
    costEstimated: figures.costEstimated,
    userId: row.userId,
    cliSessionId: run?.cliSessionId ?? (row.forks ? null : row.cliSessionId),
    error: row.error,
    forkedFrom: row.forkedFromId,
    createdAt: row.createdAt.toISOString(),
    lastActivityAt: row.lastActivityAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    canFork: canFork(row),
    canSteer: run?.userId === viewerId && takesMessages(row),
  }
}

const VIA: Readonly<Record<MessageRow['via'], MessageVia>> = {
  // A key begins no conversation.
  ...{ sign_in: 'web', user: 'web', ssh_key: 'api' },
  ...{ api_token: 'api', discord: 'discord' },
}

export const toMessage = (row: MessageRow): ConversationMessage => ({
  id: row.id,
  seq: row.seq,
  text: row.text,
  state: row.state,
  runId: row.runId,
  error: row.error,
  answer: row.answer,
  userId: row.userId,
  via: VIA[row.via],
  createdAt: row.createdAt.toISOString(),
})
