/** Which comments on changes the next messages of conversations quote, in this browser, of one user at a time. */
import { keptByTask } from '@/lib/browser/keptByTask.ts'
import { isRecord } from '@/lib/isRecord.ts'

/** Most conversations of which this is kept. The oldest one is dropped: its comments stay, as if they were not sent. */
const CONVERSATIONS_MAX = 20

/** Comments on the changes of a task, by their ids. */
export interface QuotedComments {
  readonly taskId: string
  readonly ids: readonly string[]
}

/** What another version of this page has stored may have other fields. */
function quotedFrom(value: unknown): QuotedComments[] {
  if (!isRecord(value) || typeof value['taskId'] !== 'string' || !Array.isArray(value['ids'])) return []
  return [{ taskId: value['taskId'], ids: value['ids'].filter((id) => typeof id === 'string') }]
}

const kept = keptByTask<readonly QuotedComments[]>({
  ...{ name: 'slipway-quoted-comments', list: 'conversations', max: CONVERSATIONS_MAX },
  read: (stored) => (Array.isArray(stored) ? stored.flatMap(quotedFrom) : null),
})

export const { forget: forgetQuoted } = kept

/** The comments that a user's next message of a conversation quotes, unless the user has taken them out of its text. */
export const quotedOf = (userId: string, conversationId: string): readonly QuotedComments[] =>
  kept.of(userId, conversationId) ?? []

export const keepQuoted = (userId: string, conversationId: string, quoted: readonly QuotedComments[]): void =>
  kept.keep(userId, conversationId, quoted.length === 0 ? null : quoted)
