import { type CreateCodingSession, RUN_TIMEOUT_SECONDS_DEFAULT, RUN_TIMEOUT_SECONDS_MAX } from '@slipway/protocol'
import { modelProblem } from '@/lib/agents/agentSettings.ts'

/** A task as its form edits it. An empty text and null stand for the default. */
export interface TaskDraft {
  provider: string
  prompt: string
  /** The working folder as the user wrote it: `~/project`, `project` or `/home/developer/project`. */
  cwd: string
  model: string
  maxTurns: number | null
  maxBudgetUsd: number | null
  timeoutMinutes: number | null
  waitForLimit: boolean
  /** Waits in line if it cannot start now. */
  queue: boolean
}

/** What the dialog of a new task begins with. */
export interface NewTask {
  /** The agent's name. */
  readonly agent?: string
  readonly initial?: InitialTask
}

/** Fields that are filled in already, for example those of a task to repeat. */
export interface InitialTask extends Partial<TaskDraft> {
  /** The id of an earlier task, whose conversation continues. */
  readonly resume?: string
}

export const EMPTY_DRAFT: Readonly<TaskDraft> = {
  provider: '',
  prompt: '',
  cwd: '',
  model: '',
  maxTurns: null,
  maxBudgetUsd: null,
  timeoutMinutes: null,
  waitForLimit: true,
  queue: false,
}

export const TIMEOUT_MINUTES_DEFAULT = RUN_TIMEOUT_SECONDS_DEFAULT / 60
export const TIMEOUT_MINUTES_MAX = RUN_TIMEOUT_SECONDS_MAX / 60

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
  | 'resume'
  | 'place'
  | 'form'
export type TaskErrors = Partial<Record<TaskField, string>>

/** The folder as the API takes it. Null: the home. */
export function folderOf(cwd: string): string | null {
  const path = cwd
    .trim()
    .replace(/^~(?:\/+|$)/, '')
    .replace(/(?<=.)\/+$/, '')
  return path === '' ? null : path
}

export function bodyOf(agent: string, draft: TaskDraft, resume?: string): CreateCodingSession {
  const { provider, prompt, cwd, model, maxTurns, maxBudgetUsd, timeoutMinutes, waitForLimit, queue } = draft
  const folder = folderOf(cwd)
  return {
    agent,
    prompt,
    ...(provider !== '' && { provider }),
    ...(folder !== null && { cwd: folder }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(maxTurns !== null && { max_turns: maxTurns }),
    ...(maxBudgetUsd !== null && { max_budget_usd: maxBudgetUsd }),
    ...(timeoutMinutes !== null && { timeout_seconds: Math.round(timeoutMinutes * 60) }),
    ...(!waitForLimit && { wait_for_limit: false }),
    ...(queue && { queue: true }),
    ...(resume !== undefined && { resume }),
  }
}

/** What is wrong with a draft before it is sent. */
export function problemsOf({ provider, prompt, model }: TaskDraft): TaskErrors {
  const wrongModel = modelProblem(model)
  return {
    ...(provider === '' && { provider: 'Choose a coding CLI that the agent has.' }),
    ...(prompt.trim() === '' && { prompt: 'Write what the task is.' }),
    ...(wrongModel !== null && { model: wrongModel }),
  }
}
