import { MODEL_PATTERN, RUN_TIMEOUT_SECONDS_MAX, type WorktreeMode } from '@slipway/protocol'
import { folderOf, type TaskLimits, type WorkOptions } from './new/draft.ts'

/** The task that a schedule or a webhook starts, as its form edits it. An empty text or null stands for no value. */
export interface TaskForm extends TaskLimits, WorkOptions {
  agent: string
  provider: string
  prompt: string
  cwd: string
  /** How often it may repair its work until its validation passes. Null: it has no gate. */
  gateRepairs: number | null
}

/** The same task as the API answers it. */
interface AnsweredTask {
  readonly agent: string
  readonly provider: string | null
  readonly prompt: string
  readonly model: string | null
  readonly cwd: string | null
  readonly timeoutSeconds: number | null
  readonly maxTurns: number | null
  readonly maxBudgetUsd: number | null
  readonly worktree: WorktreeMode | null
  readonly validate: boolean | null
  readonly gateRepairs: number | null
}

export const newTaskForm = (agent: string): TaskForm => ({
  agent,
  provider: '',
  prompt: '',
  model: '',
  cwd: '',
  timeoutMinutes: null,
  maxTurns: null,
  maxBudgetUsd: null,
  worktree: null,
  validate: false,
  gateRepairs: null,
})

export const taskFormOf = (task: AnsweredTask): TaskForm => ({
  agent: task.agent,
  provider: task.provider ?? '',
  prompt: task.prompt,
  model: task.model ?? '',
  cwd: task.cwd ?? '',
  timeoutMinutes: task.timeoutSeconds === null ? null : task.timeoutSeconds / 60,
  maxTurns: task.maxTurns,
  maxBudgetUsd: task.maxBudgetUsd,
  worktree: task.worktree,
  validate: task.validate === true,
  gateRepairs: task.gateRepairs,
})

/** The form as the API takes it. */
export const taskBodyOf = (form: TaskForm) => ({
  agent: form.agent,
  prompt: form.prompt,
  provider: form.provider || null,
  model: form.model.trim() || null,
  cwd: folderOf(form.cwd),
  timeout_seconds: form.timeoutMinutes === null ? null : Math.round(form.timeoutMinutes * 60),
  max_turns: form.maxTurns,
  max_budget_usd: form.maxBudgetUsd,
  worktree: form.worktree,
  validate: form.validate || null,
  gate_repairs: form.gateRepairs,
})

export type TaskProblems = Partial<Record<keyof ReturnType<typeof taskBodyOf>, string>>

const modelPattern = new RegExp(MODEL_PATTERN)

/** What is wrong with the form, as far as this page knows. The server checks all of it. */
export function taskProblemsOf(form: TaskForm): TaskProblems {
  const problems: TaskProblems = {}
  const { agent, prompt, model, timeout_seconds: seconds } = taskBodyOf(form)
  if (agent === '') problems.agent = 'Choose an agent.'
  if (prompt.trim() === '') problems.prompt = 'Say what the agent should do.'
  if (model !== null && !modelPattern.test(model))
    problems.model = 'A model name has letters, digits and ._:/@[]- only.'
  if (seconds !== null && (seconds < 1 || seconds > RUN_TIMEOUT_SECONDS_MAX))
    problems.timeout_seconds = `From 1 to ${RUN_TIMEOUT_SECONDS_MAX / 60} minutes.`
  return problems
}
