/** Runs as the API answers them. */
import { type ChangeCounts, type CodingResult, type CodingSession, RUN_POLICIES } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import { labelOfRun } from '../providers/task-provider.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import { allows } from '../access/policy.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import { shownGate } from './gate/standing.ts'
import { followed } from './people/policy.ts'
import type { RunRow } from './repository.ts'
import { PROMPT_SHOWN } from './search/prompt-repository.ts'

/** For lists and news, in which a long prompt is cut. */
export const shortened = <T extends { readonly prompt: string } | null>(item: T): T =>
  item === null || item.prompt.length <= PROMPT_SHOWN
    ? item
    : { ...item, prompt: `${item.prompt.slice(0, PROMPT_SHOWN)}…` }

/** Who gets the news of a run. */
export const mayTell =
  (run: Pick<RunRow, 'personal'>): NonNullable<AgentNews['may']> =>
  (caller, relation) =>
    allows(caller, 'task.view', relation) && !isKeptFrom(caller, run)

/** Refuses an API token a run that holds a personal credential. */
export const personalRun = (): AppError =>
  new AppError(
    'PERSONAL_CREDENTIAL',
    "This task holds a user's own credential, so API tokens may not read it. Sign in instead.",
  )

const countsOf = ({ changesDetected, filesChanged, insertions, deletions }: RunRow): ChangeCounts => ({
  changesDetected,
  filesChanged,
  insertions,
  deletions,
})

/** Whether its program runs, and waits for people. */
export const isAsking = ({ state, asksSince }: Pick<RunRow, 'state' | 'asksSince'>): boolean =>
  state === 'running' && asksSince !== null

/** `lastSeq` is that of the live run, if there is one. */
export const toSession = (row: RunRow, lastSeq = row.lastSeq): CodingSession => ({
  id: row.id,
  agent: row.agentId === null ? null : row.agentName,
  provider: row.provider,
  displayName: labelOfRun(row),
  state: isAsking(row) ? 'waiting' : row.state,
  mode: row.mode,
  prompt: row.prompt,
  cwd: row.cwd,
  model: row.model,
  policy: RUN_POLICIES.find((one) => one === row.policy) ?? null,
  waitsFor: isAsking(row) ? 'person' : row.state === 'waiting' ? 'usage_limit' : null,
  userId: row.userId,
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  continuesAt: row.continuesAt?.toISOString() ?? null,
  completedAt: row.endedAt?.toISOString() ?? null,
  reason: row.reason,
  error: row.error,
  exitCode: row.exitCode,
  result: row.result,
  costUsd: row.costUsd,
  costEstimated: row.costEstimated,
  scheduleId: row.scheduleId,
  conversationId: row.messages?.[0]?.conversationId ?? null,
  archivedAt: row.archivedAt?.toISOString() ?? null,
  cliSessionId: row.cliSessionId,
  inPieces: [...(followed(row)?.inPieces ?? [])],
  lastSeq,
  validation: row.validation,
  gate: shownGate(row),
  ...countsOf(row),
})

/** What came of a run; null while it is active. */
export const toResult = (row: RunRow): CodingResult | null =>
  row.endedAt === null || row.reason === null
    ? null
    : {
        id: row.id,
        sessionId: row.id,
        userId: row.userId,
        agent: row.agentId === null ? null : row.agentName,
        provider: row.provider,
        prompt: row.prompt,
        cwd: row.cwd,
        model: row.model,
        success: row.state === 'completed',
        output: row.result ?? '',
        exitCode: row.exitCode,
        reason: row.reason,
        error: row.error,
        durationMs: Math.max(0, row.endedAt.getTime() - (row.startedAt ?? row.endedAt).getTime()),
        costUsd: row.costUsd,
        costEstimated: row.costEstimated,
        cliSessionId: row.cliSessionId,
        mode: row.mode,
        createdAt: row.createdAt.toISOString(),
        archivedAt: row.archivedAt?.toISOString() ?? null,
        ...countsOf(row),
      }
