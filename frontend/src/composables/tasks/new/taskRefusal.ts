import { ApiError } from '@/api/transport/errors.ts'
import { namedField } from '@/composables/requests/namedField.ts'
import type { TaskField } from '@/lib/tasks/new/draft.ts'

/** Why a task was not started, and the field that it is about. */
export interface Refusal {
  readonly field: TaskField
  readonly message: string
}

const FIELDS: Partial<Record<ApiError['code'], TaskField>> = {
  CLI_NOT_INSTALLED: 'provider',
  KEY_REFUSED: 'provider',
  WRONG_STATE: 'agent',
  NOT_FOUND: 'agent',
  SESSION_IN_USE: 'resume',
  PERSONAL_CREDENTIAL: 'resume',
  TOO_MANY_TASKS: 'place',
  BUDGET_EXHAUSTED: 'place',
  OUTSIDE_HOME: 'cwd',
  NO_WORKTREE: 'worktree',
}

const NAMED: readonly TaskField[] = [
  'agent',
  'provider',
  'prompt',
  'cwd',
  'model',
  'max_turns',
  'max_budget_usd',
  'timeout_seconds',
  'worktree',
  'validate',
  'resume',
]

/** What the API calls these values in a sentence, and what this form calls them. */
const WORDS: Partial<Record<ApiError['code'], [RegExp, string]>> = {
  TOO_MANY_TASKS: [/let this one wait in line with "queue": true/, 'let this one wait in line'],
}

export function taskRefusal(error: unknown): Refusal {
  const { field: name, message } = namedField(error)
  if (!(error instanceof ApiError)) return { field: 'form', message }
  const field = NAMED.find((one) => one === name) ?? FIELDS[error.code] ?? 'form'
  const [api, here] = WORDS[error.code] ?? [/$^/, '']
  return { field, message: message.replace(api, here) }
}
