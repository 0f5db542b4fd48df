/** Dialogs as the API answers them. */
import type { Dialog } from '@slipway/protocol'
import { allows } from '../access/policy.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import type { DialogRow } from './repository.ts'

/** Who gets the news of a dialog. */
export const mayTell =
  (row: Pick<DialogRow, 'personal'>): NonNullable<AgentNews['may']> =>
  (caller, relation) =>
    allows(caller, 'dialog.view', relation) && !isKeptFrom(caller, row)

export const toDialog = (row: DialogRow): Dialog => ({
  id: row.id,
  agent: row.agentId === null ? null : row.agentName,
  sessionId: row.runId,
  userId: row.userId,
  requestId: row.requestId,
  folder: row.folder,
  title: row.title,
  message: row.message,
  question: row.question,
  state: row.state,
  openedAt: row.openedAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  closedAt: row.closedAt?.toISOString() ?? null,
  answer: row.answer,
  closedBy: row.closedBy,
})
