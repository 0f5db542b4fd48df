/** What a user has typed for the publication of tasks, until it is done. This browser keeps it, of one user at a time. */

const NAME = 'slipway-publish'
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
}
export const DRAFT_FIELDS = ['branch', 'subject', 'body', 'base', 'title', 'text', 'ready'] as const

interface Kept {
  readonly userId: string
  /** By task, the newest last. */
  readonly drafts: readonly (readonly [task: string, draft: PublishDraft])[]
}

/** What a browser without storage keeps. It lasts as long as the page. */
let ofPage: Kept | null = null

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** What another version of this page has stored may have other fields. */
function draftFrom(value: unknown): PublishDraft {
  if (!isRecord(value)) return {}
  const texts = DRAFT_FIELDS.map((field) => [field, value[field]] as const)
  return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string' && text.length <= KEPT_TEXT_MAX))
}

function keptOf(userId: string): Kept {
  const nothing = ofPage?.userId === userId ? ofPage : { userId, drafts: [] }
  try {
    const found: unknown = JSON.parse(localStorage.getItem(NAME) ?? 'null')
    if (!isRecord(found) || found['userId'] !== userId || !Array.isArray(found['drafts'])) return nothing
    const drafts = found['drafts'].flatMap((entry: unknown): Kept['drafts'] =>
      Array.isArray(entry) && typeof entry[0] === 'string' ? [[entry[0], draftFrom(entry[1])]] : [],
    )
    return { userId, drafts }
  } catch {
    return nothing
  }
}

/** What a user has typed for a task. */
export const publishDraftOf = (userId: string, task: string): PublishDraft =>
  keptOf(userId).drafts.find(([id]) => id === task)?.[1] ?? {}

export function keepPublishDraft(userId: string, task: string, draft: PublishDraft): void {
  const others = keptOf(userId).drafts.filter(([id]) => id !== task)
  const own = Object.keys(draft).length === 0 ? [] : [[task, draft] as const]
  ofPage = { userId, drafts: [...others, ...own].slice(-TASKS_MAX) }
  try {
    localStorage.setItem(NAME, JSON.stringify(ofPage))
  } catch {
    // The storage is full or closed. The page keeps it.
  }
}

/** For a user who signs out: the next one at this computer reads nothing of it. */
export function forgetPublishDrafts(): void {
  ofPage = null
  try {
    localStorage.removeItem(NAME)
  } catch {
    // There is no storage, so there is nothing to remove.
  }
}
