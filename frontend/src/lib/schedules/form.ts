import type { Agent, MissedPolicy, Schedule } from '@slipway/protocol'
import { newTaskForm, taskBodyOf, type TaskForm, taskFormOf, taskProblemsOf } from '../tasks/taskForm.ts'
import { ownTimezone } from './times.ts'

/** A schedule as its form edits it. An empty text or null stands for no value. */
export interface ScheduleForm extends TaskForm {
  name: string
  cron: string
  timezone: string
  missed: MissedPolicy
}

/** A new schedule begins with these fields. */
export type Example = Pick<ScheduleForm, 'name' | 'prompt' | 'cron'>

/** Schedules that are worth a start, for users without one. */
export const EXAMPLES: readonly Example[] = [
  {
    name: 'Nightly dependency update',
    cron: '30 2 * * 1-5',
    prompt: 'Update the dependencies that have a new minor or patch version. Run the tests, and commit what passes.',
  },
  {
    name: 'Morning look at the tests',
    cron: '0 7 * * 1-5',
    prompt: 'Run all tests. If one fails, find the cause and describe the smallest fix. Do not change any file.',
  },
  {
    name: 'Weekly summary',
    cron: '0 16 * * 5',
    prompt: 'Summarize the commits of the last seven days in ten lines, for a reader who does not know the code.',
  },
]

/** Times to choose from. */
export const COMMON_TIMES = [
  { label: 'Every hour', cron: '0 * * * *' },
  { label: 'Every day', cron: '0 9 * * *' },
  { label: 'Monday to Friday', cron: '0 9 * * 1-5' },
  { label: 'Every Monday', cron: '0 9 * * 1' },
  { label: 'Every month', cron: '0 9 1 * *' },
] as const

/** What to do with times at which the server did not run. */
export const MISSED_CHOICES: readonly { value: MissedPolicy; label: string }[] = [
  { value: 'skip', label: 'Skip them' },
  { value: 'run_once', label: 'Run once for all of them' },
]
export const missedLabel = (policy: MissedPolicy): string =>
  MISSED_CHOICES.find(({ value }) => value === policy)?.label ?? policy

/** The name of the agent that a new schedule begins with: one of the user's own and a running one, if there is any. */
export function usualAgent(agents: readonly Agent[]): string {
  const rank = ({ relation, state }: Agent): number => (relation === 'owner' ? 0 : 2) + (state === 'running' ? 0 : 1)
  return agents.toSorted((a, b) => rank(a) - rank(b))[0]?.name ?? ''
}

export const newForm = (agent: string, example?: Example): ScheduleForm => ({
  ...newTaskForm(agent),
  name: '',
  cron: '0 9 * * 1-5',
  timezone: ownTimezone(),
  missed: 'skip',
  ...example,
})

export const formOf = (schedule: Schedule): ScheduleForm => ({
  ...taskFormOf(schedule),
  name: schedule.name,
  cron: schedule.cron,
  timezone: schedule.timezone,
  missed: schedule.missed,
})

/** The form as the API takes it, for a new schedule and for a change. */
export const bodyOf = (form: ScheduleForm) => ({
  ...taskBodyOf(form),
  name: form.name.trim(),
  cron: form.cron.trim(),
  timezone: form.timezone.trim(),
  missed: form.missed,
})

/** The fields of the API's body. */
export type ScheduleField = keyof ReturnType<typeof bodyOf>
export type Problems = Partial<Record<ScheduleField, string>>

/** What is wrong with the form, as far as this page knows. The server checks all of it. */
export function problemsOf(form: ScheduleForm): Problems {
  const problems: Problems = taskProblemsOf(form)
  const { name, cron, timezone } = bodyOf(form)
  if (name === '') problems.name = 'Enter a name.'
  if (cron === '') problems.cron = 'Say when it runs.'
  if (timezone === '') problems.timezone = 'Choose a time zone.'
  return problems
}

/** The field that the server's refusal is about, and what it says; null for other errors. */
export function problemIn(message: string): Problems | null {
  const match = /^body[./]([a-z_]+):? (.+)$/s.exec(message)
  const [, field, text] = match ?? []
  if (field === undefined || text === undefined || !isField(field)) return null
  return { [field]: `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}` }
}

const FIELDS: ReadonlySet<string> = new Set<ScheduleField>([
  'name',
  'agent',
  'cron',
  'timezone',
  'missed',
  'prompt',
  'provider',
  'model',
  'cwd',
  'timeout_seconds',
  'max_turns',
  'max_budget_usd',
])
const isField = (name: string): name is ScheduleField => FIELDS.has(name)
