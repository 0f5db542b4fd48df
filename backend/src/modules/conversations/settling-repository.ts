/** What the end of a turn means for its conversation, within a transaction. */
import type { RunReason, RunState } from '@slipway/protocol'
import type { Prisma } from '../../database/generated/client.ts'
import type { ConversationRow } from './rows.ts'

/** A conversation without what is known of its run. */
export type LockedConversation = Omit<ConversationRow, 'currentRun'>

/** Reads a conversation and keeps it from other writers until the transaction is over. */
export const locked = async (tx: Prisma.TransactionClient, id: string): Promise<LockedConversation | null> => {
  await tx.$executeRaw`SELECT 1 FROM "Conversation" WHERE "id" = ${id}::uuid FOR UPDATE`
  return (await tx.conversation.findUnique({ where: { id } })) as LockedConversation | null
}

/** A turn whose end lets the queue go on. One that a user has interrupted does so, too. */
const goesOn = ({ state, reason }: { readonly state: RunState; readonly reason: RunReason | null }): boolean =>
  state === 'completed' || reason === 'terminated'

/** After the CLI has forgotten its session, the next turn begins a new one. */
const FORGOTTEN = { resumeRunId: null, cliSessionId: null, forks: false, forgotten: true } as const

/** A turn that has said something in its session is continued there. What the CLI was told as it began is in it. */
const CONTINUED = { forks: false, forgotten: false } as const

const whyOf = ({ reason }: { readonly reason: RunReason | null }, error: string | null): string => {
  const why = error ?? 'The turn failed.'
  return reason === 'session_lost'
    ? `${why} The next message begins a new session, which does not know what was said before.`
    : why
}

/** Notes the end of the turn, if it has ended. A failed one releases the messages that wait. Answers whether it noted one. */
export const settle = async (tx: Prisma.TransactionClient, row: LockedConversation): Promise<boolean> => {
  const { id, currentRunId } = row
  if (currentRunId === null) return false
  const run = await tx.codingRun.findUniqueOrThrow({
    where: { id: currentRunId },
    select: {
      ...{ state: true, reason: true, error: true, cliSessionId: true, lastSeq: true, endedAt: true },
      ...{ cwd: true, startedAt: true },
    },
  })
  if (run.endedAt === null) return false
  const end = { state: run.state as RunState, reason: run.reason as RunReason | null }
  // A program that said nothing may have no session, although its name was known before.
  const hasSession = run.cliSessionId !== null && run.lastSeq > 0
  await tx.conversation.update({
    where: { id },
    data: {
      currentRunId: null,
      lastActivityAt: run.endedAt,
      ...((run.startedAt !== null || run.cwd !== row.cwd) && { cwd: run.cwd, placed: true }),
      error: goesOn(end) ? null : await releaseQueued(tx, id, whyOf(end, run.error)),
      ...(hasSession && { ...CONTINUED, resumeRunId: currentRunId, cliSessionId: run.cliSessionId }),
      ...(end.reason === 'session_lost' && FORGOTTEN),
    },
  })
  return true
}

/** Releases the messages that wait. Answers the notice of the conversation. */
export const releaseQueued = async (tx: Prisma.TransactionClient, id: string, why: string): Promise<string> => {
  const { count } = await tx.conversationMessage.updateMany({
    where: { conversationId: id, state: 'queued' },
    data: { state: 'released' },
  })
  if (count === 0) return why
  return `${why} ${count === 1 ? 'One message that waited was' : `${count} messages that waited were`} not sent.`
}
