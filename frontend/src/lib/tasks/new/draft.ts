import {
  AGENT_HOME,
  CUSTOM_PREFIX,
  type CodingSession,
  type CreateCodingSession,
  RUN_TIMEOUT_SECONDS_DEFAULT,
  RUN_TIMEOUT_SECONDS_MAX,
  type AgentPolicy,
  type WorktreeMode,
} from '@slipway/protocol'
import { modelProblem } from '@/lib/agents/form/agentSettings.ts'
import type { ChosenTemplate } from './templates.ts'

/** The fields that the forms of a task and of a schedule share. An empty text and null stand for the default. */
export interface TaskLimits {
  model: string
  maxTurns: number | null
  maxBudgetUsd: number | null
  timeoutMinutes: number | null
}
export type LimitErrors = Partial<Record<'model' | 'max_turns' | 'max_budget_usd' | 'timeout_seconds', string>>

/** Where it works, and what follows. The forms of a task, a schedule and a webhook share it. */
export interface WorkOptions {
  /** When it works in a git worktree. Null: the setting of the agent counts. */
  worktree: WorktreeMode | null
  /** Whether it is validated when it has ended. */
  validate: boolean
}

/** A task as its form edits it. */
export interface TaskDraft extends TaskLimits, WorkOptions {
  mode: 'auto' | 'interactive'
  /** What it may do without asking. Null: what its agent allows. */
  policy: AgentPolicy | null
  provider: string
  prompt: string
  /** The template that the prompt was begun with. */
  template: ChosenTemplate | null
  /** The working folder as the user wrote it: `~/project`, `project` or `/home/developer/project`. */
  cwd: string
  waitForLimit: boolean
  /** Waits in line if it cannot start now. */
  queue: boolean
  /** How many repairs it has to pass its validation; null: it need not pass. */
  gateRepairs: number | null
}

/** What the dialog of a new task begins with. */
export interface NewTask {
  /** The agent's name. */
  readonly agent?: string
  /** The coding CLI, in place of that of the draft. */
  readonly provider?: string
  readonly initial?: InitialTask
  /** Begins with the form of a comparison. */
  readonly compares?: boolean
}

/** Fields that are filled in already, for example those of a task to repeat. */
export interface InitialTask extends Partial<TaskDraft> {
  /** The id of an earlier task, whose conversation continues. */
  readonly resume?: string
  /** The first line of its prompt. */
  readonly title?: string
  /** The comments on its changes that the prompt sends, by id. They are removed once the task has started. */
  readonly sends?: readonly string[]
}

export const EMPTY_DRAFT: Readonly<TaskDraft> = {
  mode: 'auto',
  policy: null,
  provider: '',
  prompt: '',
  template: null,
  cwd: '',
  model: '',
  maxTurns: null,
  maxBudgetUsd: null,
  timeoutMinutes: null,
  worktree: null,
  validate: false,
  waitForLimit: true,
  queue: false,
  gateRepairs: null,
}

export const TIMEOUT_MINUTES_DEFAULT = RUN_TIMEOUT_SECONDS_DEFAULT / 60
export const TIMEOUT_MINUTES_MAX = RUN_TIMEOUT_SECONDS_MAX / 60

/** The same fields as those of an earlier task, as far as the server tells them. */
export const draftOfTask = ({
  mode,
  policy,
  provider,
  prompt,
  cwd,
  model,
}: Pick<CodingSession, 'mode' | 'policy' | 'provider' | 'prompt' | 'cwd' | 'model'>): Partial<TaskDraft> => ({
  mode: mode === 'interactive' ? mode : 'auto',
  policy: policy === 'skip' ? null : policy,
  provider,
  prompt,
  cwd: folderText(cwd),
  model: model ?? '',
})

/** The fields of the form that can have an error. `place`: there is no place for a further task. */
export type TaskField =
  | 'agent'
  | 'provider'
  | 'prompt'
  | 'cwd'
  | 'model'
  | 'max_turns'
  | 'max_budget_usd'
  | 'timeout_seconds'
  | 'worktree'
  | 'validate'
  | 'resume'
  | 'place'
  | 'form'
export type TaskErrors = Partial<Record<TaskField, string>>

/** The fields that are folded at first. */
const MORE = ['model', 'max_turns', 'max_budget_usd', 'timeout_seconds', 'worktree', 'validate'] as const
/** Whether a field has an error that is folded at first. */
export const isAmongMore = (errors: TaskErrors): boolean => MORE.some((field) => errors[field] !== undefined)

/** `~/project` for `/home/developer/project`. */
export const folderText = (path: string): string => path.replace(new RegExp(`^${AGENT_HOME}(?=/|$)`), '~')

/** The folder as the API takes it. Null: the home. */
export function folderOf(cwd: string): string | null {
  const path = cwd
    .trim()
    .replace(/^~(?:\/+|$)/, '')
    .replace(/(?<=.)\/+$/, '')
  return path === '' ? null : path
}

/** The request of a task. One that continues an earlier task has its coding CLI and its folder. */
export function bodyOf(agent: string, draft: TaskDraft, resume?: string): CreateCodingSession {
  const {
    mode,
    provider,
    prompt,
    cwd,
    model,
    maxTurns,
    maxBudgetUsd,
    timeoutMinutes,
    waitForLimit,
    queue,
    gateRepairs,
  } = draft
  const isInteractive = mode === 'interactive'
  const folder = folderOf(cwd)
  return {
    agent,
    ...(isInteractive && { mode }),
    ...((!isInteractive || prompt.trim() !== '') && { prompt }),
    ...(resume === undefined && provider !== '' && { provider }),
    ...(resume === undefined && folder !== null && { cwd: folder }),
    ...(resume === undefined && draft.worktree !== null && { worktree: draft.worktree }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(timeoutMinutes !== null && { timeout_seconds: Math.round(timeoutMinutes * 60) }),
    ...(!isInteractive && {
      ...(draft.policy !== null && { policy: draft.policy }),
      ...(maxTurns !== null && { max_turns: maxTurns }),
      ...(maxBudgetUsd !== null && { max_budget_usd: maxBudgetUsd }),
      ...(draft.validate && { validate: true }),
      ...(!waitForLimit && { wait_for_limit: false }),
      ...(queue && { queue: true }),
      ...(gateRepairs !== null && { gate: { repairs: gateRepairs } }),
    }),
    ...(resume !== undefined && { resume }),
  }
}

/** What is wrong with a draft before it is sent. */
export function problemsOf({ mode, provider, prompt, model }: TaskDraft): TaskErrors {
  const wrongModel = modelProblem(model)
  const isInteractive = mode === 'interactive'
  return {
    ...(provider === '' && { provider: 'Choose a coding CLI that the agent has.' }),
    ...(isInteractive &&
      provider.startsWith(CUSTOM_PREFIX) && {
        provider: 'A custom provider has no terminal. Choose another coding CLI, or let it work on its own.',
      }),
    ...(!isInteractive && prompt.trim() === '' && { prompt: 'Write what the task is.' }),
    ...(wrongModel !== null && { model: wrongModel }),
  }
}
