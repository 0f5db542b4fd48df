/** What the form of a new task keeps in this browser: drafts by agent, and the last prompts. One user at a time. */
import { AGENT_POLICIES, WORKTREE_MODES } from '@slipway/protocol'
import { isRecord } from '@/lib/isRecord.ts'
import { EMPTY_DRAFT, type TaskDraft } from './draft.ts'
import { chosenTemplate } from './templates.ts'

const NAME = 'slipway-new-task'
/** Most drafts. The oldest one is dropped. */
export const DRAFTS_MAX = 20
/** Most prompts in the history. The oldest one is dropped. */
export const PROMPTS_MAX = 50
/** Longest prompt that outlives the page, in UTF-16 code units. The browser keeps 5 million for the whole origin. */
export const KEPT_PROMPT_MAX = 20_000
/** The same for the template of a draft, as JSON: its text, the values of its fields, and the prompt that it has replaced. */
const KEPT_TEMPLATE_MAX = 3 * KEPT_PROMPT_MAX

interface Kept {
  userId: string
  /** By key, the newest last. */
  drafts: [key: string, draft: TaskDraft][]
  /** The newest first. */
  prompts: string[]
  /** The agent of the last task. */
  agent: string | null
  /** Whether the further options are open. */
  isMoreOpen: boolean
}

/** Drafts with longer texts, and all that a browser without storage keeps. It lasts as long as the page. */
let ofPage: Kept | null = null
/** Whether the storage did not take what the page has kept last. */
let isUnsaved = false

const nothing = (userId: string): Kept => ({ userId, drafts: [], prompts: [], agent: null, isMoreOpen: false })

function stored(): unknown {
  try {
    return JSON.parse(localStorage.getItem(NAME) ?? 'null')
  } catch {
    return null
  }
}

/** A draft of another version of this page may have other fields. */
function draftFrom(value: unknown): TaskDraft {
  if (!isRecord(value)) return { ...EMPTY_DRAFT }
  const text = (name: keyof TaskDraft): string => (typeof value[name] === 'string' ? value[name] : '')
  const number = (name: keyof TaskDraft): number | null => (typeof value[name] === 'number' ? value[name] : null)
  return {
    mode: value['mode'] === 'interactive' ? 'interactive' : 'auto',
    policy: AGENT_POLICIES.find((policy) => policy === value['policy']) ?? null,
    provider: text('provider'),
    prompt: text('prompt'),
    template: chosenTemplate(value['template']),
    cwd: text('cwd'),
    model: text('model'),
    maxTurns: number('maxTurns'),
    maxBudgetUsd: number('maxBudgetUsd'),
    timeoutMinutes: number('timeoutMinutes'),
    worktree: WORKTREE_MODES.find((mode) => mode === value['worktree']) ?? null,
    validate: value['validate'] === true,
    waitForLimit: value['waitForLimit'] !== false,
    queue: value['queue'] === true,
    gateRepairs: number('gateRepairs'),
  }
}

/** Whether a draft lasts only as long as the page. */
const isLong = ({ prompt, template }: TaskDraft): boolean =>
  prompt.length > KEPT_PROMPT_MAX || JSON.stringify(template).length > KEPT_TEMPLATE_MAX

function keptOf(userId: string): Kept {
  const found = stored()
  const inPage = ofPage?.userId === userId ? ofPage : nothing(userId)
  if (isUnsaved || !isRecord(found) || found['userId'] !== userId) return inPage
  const { drafts, prompts, agent, isMoreOpen } = found
  const fromStorage = (Array.isArray(drafts) ? drafts : []).flatMap((entry: unknown): Kept['drafts'] =>
    Array.isArray(entry) && typeof entry[0] === 'string' ? [[entry[0], draftFrom(entry[1])]] : [],
  )
  const long = inPage.drafts.filter(([, draft]) => isLong(draft))
  return {
    userId,
    drafts: [...fromStorage.filter(([key]) => !long.some(([other]) => other === key)), ...long],
    prompts: (Array.isArray(prompts) ? prompts : []).filter((prompt) => typeof prompt === 'string'),
    agent: typeof agent === 'string' ? agent : null,
    isMoreOpen: isMoreOpen === true,
  }
}

function keep(userId: string, change: (kept: Kept) => Partial<Kept>): void {
  const before = keptOf(userId)
  ofPage = { ...before, ...change(before) }
  const drafts = ofPage.drafts.filter(([, draft]) => !isLong(draft))
  try {
    localStorage.setItem(NAME, JSON.stringify({ ...ofPage, drafts }))
    isUnsaved = false
  } catch {
    // The storage is full or closed. The page keeps it.
    isUnsaved = true
  }
}

/** A copy of the draft under a key, or null. */
export function draftOf(userId: string, key: string): TaskDraft | null {
  const found = keptOf(userId).drafts.find(([other]) => other === key)
  return found === undefined ? null : { ...found[1] }
}

const isEmpty = (draft: TaskDraft): boolean =>
  Object.entries(EMPTY_DRAFT).every(([name, value]) => draft[name as keyof TaskDraft] === value)

/**
 * Keeps a draft as the newest one. A draft that says nothing takes no place, and removes the one under its key. One without a
 * prompt has no template.
 */
export const keepDraft = (userId: string, key: string, draft: TaskDraft): void =>
  keep(userId, (before) => {
    const drafts = before.drafts.filter(([other]) => other !== key)
    const kept = { ...draft, ...(draft.prompt === '' && { template: null }) }
    if (!isEmpty(kept)) drafts.push([key, kept])
    return { drafts: drafts.slice(-DRAFTS_MAX) }
  })

/**
 * Takes a prompt out of the draft under a key, because it was sent. Its form may be gone. A prompt that was changed since
 * stays.
 */
export function dropSent(userId: string, key: string, sent: string): void {
  const draft = draftOf(userId, key)
  if (draft?.prompt === sent) keepDraft(userId, key, { ...draft, prompt: '' })
}

/** The last prompts, the newest first. */
export const promptsOf = (userId: string): readonly string[] => keptOf(userId).prompts

/** Adds the prompt of a task that was started in an agent. */
export const keepStarted = (userId: string, agent: string, prompt: string): void =>
  keep(userId, ({ prompts }) => ({
    agent,
    prompts:
      prompt.length > KEPT_PROMPT_MAX
        ? prompts
        : [prompt, ...prompts.filter((other) => other !== prompt)].slice(0, PROMPTS_MAX),
  }))

export const lastAgent = (userId: string): string | null => keptOf(userId).agent

export const isMoreOpen = (userId: string): boolean => keptOf(userId).isMoreOpen
export const keepMoreOpen = (userId: string, open: boolean): void => keep(userId, () => ({ isMoreOpen: open }))

/** For a user who signs out: the next one at this computer reads nothing of it. */
export function forgetTasks(): void {
  ofPage = null
  isUnsaved = false
  try {
    localStorage.removeItem(NAME)
  } catch {
    // There is no storage, so there is nothing to remove.
  }
}
