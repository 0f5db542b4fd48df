import { fieldProblem, type CreateIncomingHook, type HookSource, type IncomingHook } from '@slipway/protocol'
import { listIn } from '../tasks/settings/lines.ts'
import { newTaskForm, taskBodyOf, type TaskForm, taskFormOf, taskProblemsOf } from '../tasks/taskForm.ts'

/** An incoming webhook as its form edits it. */
export interface IncomingForm extends TaskForm {
  name: string
  source: HookSource
  /** One on each line. */
  events: string
}

interface Source {
  readonly value: HookSource
  readonly label: string
  /** How the caller proves that it knows the secret. */
  readonly proof: string
  readonly prompt: string
  readonly events: string
}

/** Who calls, and what a new webhook of theirs begins with. */
export const SOURCES: readonly [Source, ...Source[]] = [
  {
    value: 'github',
    label: 'GitHub',
    proof: 'GitHub signs each call with the secret.',
    prompt:
      'Look at issue {{issue.number}} of {{repository.full_name}}: {{issue.title}}\n\n{{issue.body}}\n\nFind the cause, and describe the smallest fix. Do not change any file.',
    events: 'issues',
  },
  {
    value: 'gitlab',
    label: 'GitLab',
    proof: 'GitLab sends the secret as a token with each call.',
    prompt:
      'Look at issue {{object_attributes.iid}} of {{project.path_with_namespace}}: {{object_attributes.title}}\n\n{{object_attributes.description}}\n\nFind the cause, and describe the smallest fix. Do not change any file.',
    events: 'Issue Hook',
  },
  {
    value: 'url',
    label: 'Another service',
    proof: 'The address itself ends with the secret.',
    prompt: 'An alert has come: {{title}}\n\n{{description}}\n\nFind the cause, and describe the smallest fix.',
    events: '',
  },
]
export const sourceOf = (source: HookSource): Source => SOURCES.find(({ value }) => value === source) ?? SOURCES[0]

export function newIncoming(agent: string, source: HookSource): IncomingForm {
  const { prompt, events } = sourceOf(source)
  return { ...newTaskForm(agent), name: '', source, events, prompt }
}

/** The form for another source. What the user has not changed becomes the beginning of that source. */
export function withSource(form: IncomingForm, source: HookSource): IncomingForm {
  const [before, after] = [sourceOf(form.source), sourceOf(source)]
  return {
    ...form,
    source,
    prompt: form.prompt === before.prompt ? after.prompt : form.prompt,
    events: form.events === before.events ? after.events : form.events,
  }
}

export const incomingFormOf = (hook: IncomingHook): IncomingForm => ({
  ...taskFormOf(hook),
  name: hook.name,
  source: hook.source,
  events: hook.events.join('\n'),
})

export const incomingBodyOf = (form: IncomingForm) =>
  ({
    ...taskBodyOf(form),
    name: form.name.trim(),
    source: form.source,
    events: form.source === 'url' ? [] : [...new Set(listIn(form.events).map((line) => line.trim()))].filter(Boolean),
  }) satisfies CreateIncomingHook

export type IncomingProblems = Partial<Record<keyof ReturnType<typeof incomingBodyOf>, string>>

/** What is wrong with the form, as far as this page knows. The server checks all of it. */
export function incomingProblemsOf(form: IncomingForm): IncomingProblems {
  const problems: IncomingProblems = taskProblemsOf(form)
  if (form.name.trim() === '') problems.name = 'Enter a name.'
  const wrong = fieldProblem(form.prompt)
  if (wrong !== null) problems.prompt = `The prompt ${wrong}.`
  else if (problems.prompt === undefined && !/^[\p{L}\p{N}]/u.test(form.prompt.trimStart()))
    problems.prompt =
      'The prompt must begin with a letter or a digit, because coding CLIs read other beginnings as commands.'
  return problems
}
