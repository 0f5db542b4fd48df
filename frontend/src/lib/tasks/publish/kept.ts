/** What a user has typed for the publication of tasks, until it is done. This browser keeps it, of one user at a time. */
import { keptByTask } from '@/lib/browser/keptByTask.ts'
import { isRecord } from '@/lib/isRecord.ts'

/** Most tasks with a draft. Those of the oldest one are dropped. */
export const TASKS_MAX = 20
/** Longest text that outlives the page, in UTF-16 code units. */
export const KEPT_TEXT_MAX = 70_000

/** Only what the user has changed. All else is as the server proposes it. */
export interface PublishDraft {
  readonly branch?: string
  readonly subject?: string
  readonly body?: string
  readonly base?: string
  readonly title?: string
  readonly text?: string
  readonly ready?: string
  /** The message that comes back if the one that the coding CLI wrote is not wanted. */
  readonly before?: string
  /** The commit that is amended, its message as it came, and as it is to be. */
  readonly amends?: string
  readonly came?: string
  readonly amendment?: string
}
export const DRAFT_FIELDS = [
  ...(['branch', 'subject', 'body', 'base', 'title', 'text', 'ready'] as const),
  ...(['before', 'amends', 'came', 'amendment'] as const),
]

/** What another version of this page has stored may have other fields. */
function draftFrom(value: unknown): PublishDraft {
  if (!isRecord(value)) return {}
  const texts = DRAFT_FIELDS.map((field) => [field, value[field]] as const)
  return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string' && text.length <= KEPT_TEXT_MAX))
}

const drafts = keptByTask<PublishDraft>({ name: 'slipway-publish', list: 'drafts', max: TASKS_MAX, read: draftFrom })

export const { isOf: isOfPublishDrafts, forget: forgetPublishDrafts } = drafts

/** What a user has typed for a task. */
export function publishDraftOf(userId: string, task: string): PublishDraft {
  const inPage = Object.entries(drafts.ofPage(userId, task) ?? {})
  const long = inPage.filter(([, text]: [string, string]) => text.length > KEPT_TEXT_MAX)
  return { ...drafts.of(userId, task), ...Object.fromEntries(long) }
}

export const keepPublishDraft = (userId: string, task: string, draft: PublishDraft): void =>
  drafts.keep(userId, task, Object.keys(draft).length === 0 ? null : draft)
